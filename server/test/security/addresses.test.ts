import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { repositoryAddressIn } from '@signalbox/contract/address.ts'
import { certificateUrl } from '../../domain/on-call/senders/cloudwatch/sns/certificate-url.ts'
import { isConfirmationUrl } from '../../domain/on-call/senders/cloudwatch/sns/confirmation-url.ts'
import { webAddress } from '../../domain/on-call/senders/reading/links.ts'
import { checkedRepositories } from '../../domain/on-call/services/settings.ts'
import { checkedUptime } from '../../domain/on-call/uptime/settings.ts'
import { GitHistory } from '../../integrations/git-hosts/git-history.ts'
import { gitReach } from '../../integrations/git-hosts/reach.ts'
import { httpProbe } from '../../integrations/probes/http.ts'

/** No address leads to this machine, whatever it looks like and whichever code reads it. */

let visits = 0
const inside = createServer((socket) => {
  visits += 1
  socket.destroy()
}).listen(0, '127.0.0.1')
await once(inside, 'listening')
const { port } = inside.address() as AddressInfo
const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-addresses-'))
after(async () => {
  inside.close()
  await rm(folder, { recursive: true, force: true })
})

/** To at least one of the parsers in use, each of these is this machine, or could be made so. */
const spellings = [
  // One parser's user name is another's host.
  `http:///93.184.216.34\\@127.0.0.1:${port}/x.git`,
  `http://93.184.216.34\\@127.0.0.1:${port}/x.git`,
  `http://93.184.216.34#@127.0.0.1:${port}/x.git`,
  `http://93.184.216.34?@127.0.0.1:${port}/x.git`,
  `http://93.184.216.34:80@127.0.0.1:${port}/x.git`,
  `http://93.184.216.34%2f@127.0.0.1:${port}/x.git`,
  `http://93.184.216.34%5c@127.0.0.1:${port}/x.git`,
  `http://127.0.0.1:${port}\\@93.184.216.34/x.git`,
  `http://127.0.0.1:${port}#@93.184.216.34/x.git`,
  `http://a@b@127.0.0.1:${port}/x.git`,
  `http://@127.0.0.1:${port}/x.git`,
  `http://:@127.0.0.1:${port}/x.git`,
  `http://93.184.216.34 @127.0.0.1:${port}/x.git`,
  `http://93.184.216.34\t@127.0.0.1:${port}/x.git`,
  // Slashes that are too many, too few, or the other way round.
  `http:/127.0.0.1:${port}/x.git`,
  `http:127.0.0.1:${port}/x.git`,
  `http:///127.0.0.1:${port}/x.git`,
  `http:////127.0.0.1:${port}/x.git`,
  `http:\\\\127.0.0.1:${port}\\x.git`,
  `http:/\\127.0.0.1:${port}/x.git`,
  `http://\\127.0.0.1:${port}/x.git`,
  `https:\\/127.0.0.1:${port}/x.git`,
  // The same number.
  `http://127.0.0.1:${port}/x.git`,
  `http://127.0.0.1.:${port}/x.git`,
  `http://127.1:${port}/x.git`,
  `http://127.0.1:${port}/x.git`,
  `http://2130706433:${port}/x.git`,
  `http://0x7f000001:${port}/x.git`,
  `http://0x7f.0.0.1:${port}/x.git`,
  `http://017700000001:${port}/x.git`,
  `http://0177.0.0.1:${port}/x.git`,
  `http://000127.0.0.1:${port}/x.git`,
  `http://127.0.0.1%00.example.com:${port}/x.git`,
  `http://%31%32%37.0.0.1:${port}/x.git`,
  `http://１２７.0.0.1:${port}/x.git`,
  `http://①②⑦.0.0.1:${port}/x.git`,
  `http://127。0。0。1:${port}/x.git`,
  `http://127.0.0.\u00ad1:${port}/x.git`,
  `http://0:${port}/x.git`,
  `http://0.0.0.0:${port}/x.git`,
  // The same in IPv6.
  `http://[::1]:${port}/x.git`,
  `http://[::]:${port}/x.git`,
  `http://[0:0:0:0:0:0:0:1]:${port}/x.git`,
  `http://[::ffff:127.0.0.1]:${port}/x.git`,
  `http://[::ffff:7f00:1]:${port}/x.git`,
  `http://[::127.0.0.1]:${port}/x.git`,
  `http://[64:ff9b::7f00:1]:${port}/x.git`,
  `http://[fe80::1%25lo]:${port}/x.git`,
  // Names for it.
  `http://localhost:${port}/x.git`,
  `http://LOCALHOST:${port}/x.git`,
  `http://localhost.:${port}/x.git`,
  `http://ｌocalhost:${port}/x.git`,
  `http://inside.example:${port}/x.git`,
  `http://half.example:${port}/x.git`,
  // Ports, spaces and line breaks.
  `http://localhost:0${port}/x.git`,
  `http://localhost:/x.git`,
  ` http://127.0.0.1:${port}/x.git`,
  `\u0000http://127.0.0.1:${port}/x.git`,
  `ht\ntp://127.0.0.1:${port}/x.git`,
  `http://127.0.0.1:${port}/x.git\n`,
  `http://93.184.216.34\r\nHost: 127.0.0.1:${port}/x.git`,
  // Other ways to speak to it.
  `ssh://git@127.0.0.1:${port}/x.git`,
  `ssh://git@[::1]:${port}/x.git`,
  `ssh://git@2130706433:${port}/x.git`,
  `ssh://git@inside.example:${port}/x.git`,
  `ssh://git:word@93.184.216.34@127.0.0.1:${port}/x.git`,
  `ssh://93.184.216.34\\@127.0.0.1:${port}/x.git`,
  `ssh://-oProxyCommand=true/x.git`,
  `ssh://git@-oProxyCommand=true/x.git`,
  'git@127.0.0.1:x.git',
  'git@0x7f.1:x.git',
  'git@inside.example:x.git',
  'git@93.184.216.34@127.0.0.1:x.git',
  '-oProxyCommand=true@example.com:x.git',
  `git://127.0.0.1:${port}/x.git`,
  `git://inside.example:${port}/x.git`,
  `ext::sh -c true http://93.184.216.34/x.git`,
  `http::http://127.0.0.1:${port}/x.git`,
  `file://127.0.0.1/etc`,
  'file:///etc',
  '/etc',
  '//etc',
  '/tmp/../etc',
]

const names: Record<string, string[]> = {
  localhost: ['127.0.0.1', '::1'],
  'inside.example': ['127.0.0.1'],
  'half.example': ['93.184.216.34', '127.0.0.1'],
}
const addressesOf = async (host: string) => names[host] ?? (/^[0-9a-fx.]+$/.test(host) ? ['127.0.0.1'] : [])

test('the table is as long as it is meant to be', () => assert.ok(new Set(spellings).size >= 60))

describe('no spelling of an address leads to this machine', () => {
  test('as a repository', async () => {
    const history = new GitHistory(folder, { resolve: addressesOf, timeoutMs: 20_000 })
    for (const url of spellings)
      await assert.rejects(
        history.recentMerges({ url, path: '' }, new Date(0)),
        (error: Error) => error.constructor.name === 'NotRead',
        JSON.stringify(url),
      )
    assert.equal(visits, 0)
  })

  test('as what an uptime check looks at', async () => {
    const probe = httpProbe({
      allow: [],
      resolve: async (host) => (await addressesOf(host)).map((address) => ({ address, family: 4 })),
    })
    for (const url of spellings) {
      const call = { url, timeoutMs: 20_000, expected: [200] }
      if (isTaken(() => checkedUptime({ url }))) {
        const found = await probe.get(call, new AbortController().signal)
        assert.ok('problem' in found && /public internet|no address/.test(found.problem), JSON.stringify(url))
      }
    }
    assert.equal(visits, 0)
  })

  test('as a certificate or a confirmation of Amazon SNS', () => {
    for (const text of spellings) {
      assert.equal(certificateUrl(text), null, JSON.stringify(text))
      const url = URL.parse(text)
      if (url) assert.equal(isConfirmationUrl(url), false, JSON.stringify(text))
    }
  })

  test('as a link that a sender gave: it is left out, or has one host to every reader', () => {
    for (const text of spellings) {
      const link = webAddress(text)
      if (link !== null)
        assert.match(link, /^https?:\/\/[^/\\@?#\s]+\/[^\\\s]*$/, `${JSON.stringify(text)} became ${link}`)
    }
  })
})

test('a repository’s address that cannot be read in one way only is not kept, whatever it resolves to', () => {
  for (const url of spellings)
    if (isTaken(() => checkedRepositories([{ url, path: '' }])))
      assert.ok(repositoryAddressIn(url), JSON.stringify(url))
  for (const url of spellings.slice(0, 22))
    assert.ok(!isTaken(() => checkedRepositories([{ url, path: '' }])), JSON.stringify(url))
})

test('an address that is plainly written is handed to git as it is, held to what was looked up', async () => {
  const found: Record<string, string[]> = {
    'git.example.com': ['93.184.216.34', '2606:2800:220:1::1'],
    'git.internal': ['10.1.2.3'],
  }
  const reach = gitReach({ allow: ['10.0.0.0/8'], resolve: async (host) => found[host] ?? [] })
  const pin = 'http.curloptResolve=git.example.com'
  const to = '93.184.216.34,[2606:2800:220:1::1]'
  const held = (name: string) => ['HostName=93.184.216.34', `HostKeyAlias=${name}`]
  for (const [given, address, settings, sshOptions] of [
    ['https://git.example.com/shop.git', null, [`${pin}:443:${to}`], []],
    ['HTTPS://Git.Example.com/Shop.git', 'https://git.example.com/Shop.git', [`${pin}:443:${to}`], []],
    ['https://git.example.com:443/a/b%20c/~d.git', null, [`${pin}:443:${to}`], []],
    ['http://git.example.com:8080/shop.git', null, [`${pin}:8080:${to}`], []],
    ['https://93.184.216.34/shop.git', null, [], []],
    ['https://[2606:2800:220:1::1]:8443/shop.git', null, [], []],
    ['ssh://git@git.example.com/shop.git', null, [], held('git.example.com')],
    ['ssh://git.example.com:22/shop.git', null, [], held('git.example.com')],
    ['ssh://git@git.example.com:2222/shop.git', null, [], held('[git.example.com]:2222')],
    ['git@git.example.com:team/shop.git', null, [], held('git.example.com')],
    ['git@git.example.com:~me/shop', null, [], held('git.example.com')],
    ['git://git.internal/shop.git', 'git://10.1.2.3/shop.git', [], []],
    ['git@git.internal:shop.git', null, [], ['HostName=10.1.2.3', 'HostKeyAlias=git.internal']],
  ] as const) {
    assert.ok(
      isTaken(() => checkedRepositories([{ url: given, path: '' }])),
      given,
    )
    const { protocol: _, ...way } = await reach(given)
    assert.deepEqual(way, { address: address ?? given, settings, sshOptions }, given)
  }
})

function isTaken(check: () => unknown): boolean {
  try {
    check()
    return true
  } catch {
    return false
  }
}
