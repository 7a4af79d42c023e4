import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

const openssl = (dir: string, ...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' })
const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** A timestamp authority: openssl's own, behind HTTP. */
export async function timestampAuthority() {
  const dir = mkdtempSync(path.join(tmpdir(), 'tsa-'))
  const put = (name: string, text: string | Buffer) => writeFileSync(path.join(dir, name), text)
  const root = ['-addext', 'basicConstraints=critical,CA:true', '-days', '3650']
  openssl(
    dir,
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    '/CN=Test root',
    ...root,
  )
  openssl(
    dir,
    'req',
    ...key,
    '-keyout',
    'tsa.key',
    '-out',
    'tsa.csr',
    '-subj',
    '/CN=Test timestamp authority',
  )
  put('extensions', 'basicConstraints=critical,CA:false\nextendedKeyUsage=critical,timeStamping\n')
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '3650']
  openssl(dir, 'x509', '-req', '-in', 'tsa.csr', ...signing, '-extfile', 'extensions', '-out', 'tsa.pem')
  put(
    'tsa.cnf',
    `[tsa]\ndefault_tsa = one\n[one]\nserial = serial\nsigner_cert = tsa.pem\nsigner_key = tsa.key\nsigner_digest = sha256
default_policy = 1.2.3.4.1\ndigests = sha256\ness_cert_id_alg = sha256\n`,
  )
  put('serial', '01\n')
  let status = 200
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (status !== 200) return response.writeHead(status).end()
    put('query', Buffer.concat(chunks))
    openssl(dir, 'ts', '-reply', '-queryfile', 'query', '-config', 'tsa.cnf', '-out', 'reply')
    const reply = readFileSync(path.join(dir, 'reply'))
    response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(reply)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    ca: path.join(dir, 'ca.pem'),
    /** Answers with that status from now on; 200 stamps. */
    answer(next: number) {
      status = next
    },
    /** What openssl says of an answer. */
    verify(data: string, response: Buffer): string {
      put('data', data)
      put('answer', response)
      return String(openssl(dir, 'ts', '-verify', '-data', 'data', '-in', 'answer', '-CAfile', 'ca.pem'))
    },
    stop() {
      server.closeAllConnections()
      server.close()
      rmSync(dir, { recursive: true })
    },
  }
}
