import { get } from 'node:http'
import { get as getSecurely } from 'node:https'

/** For the health check of a container: ends with 0 while the server on this machine says that it runs. */
const { PORT = '4400', HOST = '', TLS_CERT } = process.env
const everywhere = ['', '0.0.0.0', '::', '127.0.0.1', 'localhost']
const ask = TLS_CERT ? getSecurely : get
ask(
  {
    host: everywhere.includes(HOST) ? '127.0.0.1' : HOST,
    port: PORT,
    path: '/healthz',
    timeout: 4_000,
    // Its certificate is for the name that people use, not for this address.
    rejectUnauthorized: false,
  },
  (response) => process.exit(response.statusCode === 200 ? 0 : 1),
)
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1))
