import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPublic, networks } from './public-address.ts'

const table: Record<string, string[]> = {
  'this network': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  'unique local': ['fc00::1', 'fd12:3456:789a::1', 'fd00:ec2::254'],
  'link-local': ['169.254.0.1', '169.254.255.255', 'fe80::1', 'febf::1', 'fe80::1%eth0'],
  'the metadata of a cloud': ['169.254.169.254', '169.254.170.2', '100.100.100.200', '192.0.0.192'],
  'shared by a carrier’s customers': ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  'reserved, broadcast': ['240.0.0.1', '255.255.255.255'],
  'for measurements and documentation': [
    '198.18.0.1',
    '192.0.2.1',
    '198.51.100.7',
    '203.0.113.9',
    '2001:db8::1',
    '3fff::1',
  ],
  'IPv4 in IPv6, mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:8.8.8.8'],
  'IPv4 in IPv6, compatible': ['::127.0.0.1', '::7f00:1'],
  'IPv4 in IPv6, NAT64': ['64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::1'],
  'IPv4 in IPv6, 6to4 and Teredo': ['2002:7f00:1::', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'once site-local, and never given out': ['fec0::1', '4000::1', '5f00::1', '100::1'],
  'no address': ['', 'localhost', '127.1', '2130706433', '0x7f.1', '1.2.3.4.5', '[::1]', '::1%lo'],
}

for (const [what, addresses] of Object.entries(table))
  test(`not public: ${what}`, () => {
    for (const address of addresses) assert.equal(isPublic(address), false, address)
  })

test('public: the rest', () => {
  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '93.184.216.34',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '223.255.255.255',
    '2001:4860:4860::8888',
    '2606:4700:4700::1111',
    '2a00:1450:4001::1',
  ])
    assert.equal(isPublic(address), true, address)
})

test('a set of networks has what lies in them', () => {
  const set = networks(['10.20.0.0/16', '127.0.0.1', 'fd00::/8', '::1'])
  for (const address of ['10.20.0.1', '10.20.255.255', '127.0.0.1', 'fd12::1', '::1'])
    assert.equal(set.has(address), true, address)
  for (const address of ['10.21.0.1', '127.0.0.2', 'fe80::1', '::2', 'localhost', ''])
    assert.equal(set.has(address), false, address)
  assert.throws(() => networks(['localhost']), TypeError)
})
