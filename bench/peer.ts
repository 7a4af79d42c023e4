import Fastify from 'fastify'

/** The peer of the REST figures: a bare Fastify that sends the bytes it was given and does nothing else. */
let body = ''
for await (const chunk of process.stdin) body += chunk
const app = Fastify()
app.get('/', (_, reply) => reply.type('application/json; charset=utf-8').send(body))
process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
