import { createSign, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Spoil = 'nonce' | 'audience' | 'issuer' | 'key' | 'missing'

/** An OpenID provider that lets everybody in as `claims`, and can be told to get one thing wrong. */
export async function identityProvider() {
  const [own, foreign] = [keyPair(), keyPair()]
  const asked = new Map<string, { nonce: string; challenge: string }>()
  const state = {
    issuer: '',
    claims: {} as Record<string, unknown>,
    spoil: null as Spoil | null,
    stop: () => new Promise<unknown>((resolve) => server.close(resolve)),
  }
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, state.issuer)
    const json = (body: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (url.pathname === '/.well-known/openid-configuration')
      return json({
        issuer: state.issuer,
        authorization_endpoint: `${state.issuer}/authorize`,
        token_endpoint: `${state.issuer}/token`,
        userinfo_endpoint: `${state.issuer}/userinfo`,
        jwks_uri: `${state.issuer}/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
      })
    if (url.pathname === '/keys')
      return json({
        keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }],
      })
    if (url.pathname === '/authorize') {
      const code = randomUUID()
      asked.set(code, {
        nonce: url.searchParams.get('nonce') ?? '',
        challenge: url.searchParams.get('code_challenge') ?? '',
      })
      const back = new URL(url.searchParams.get('redirect_uri')!)
      back.search = new URLSearchParams({ code, state: url.searchParams.get('state')! }).toString()
      return response.writeHead(302, { location: back.toString() }).end()
    }
    if (url.pathname === '/token') {
      let body = ''
      for await (const chunk of request) body += chunk
      const given = new URLSearchParams(body)
      const flow = asked.get(given.get('code') ?? '')
      asked.delete(given.get('code') ?? '')
      const verifier = given.get('code_verifier') ?? ''
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
      if (!flow || Buffer.from(digest).toString('base64url') !== flow.challenge)
        return json({ error: 'invalid_grant' }, 400)
      const now = Math.floor(Date.now() / 1000)
      const token = signed(state.spoil === 'key' ? foreign.privateKey : own.privateKey, {
        iss: state.spoil === 'issuer' ? 'https://other.example' : state.issuer,
        aud: state.spoil === 'audience' ? 'another' : 'signalbox',
        nonce: state.spoil === 'nonce' ? 'another' : flow.nonce,
        iat: now,
        exp: now + 60,
        ...state.claims,
      })
      return json({
        access_token: 'access',
        token_type: 'Bearer',
        ...(state.spoil === 'missing' ? {} : { id_token: token }),
      })
    }
    // This response is not signed, so it must not be asked for.
    if (url.pathname === '/userinfo') return json({ id: 'x', ...state.claims })
    return json({}, 404)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  state.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return state
}

const keyPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })

function signed(key: KeyObject, claims: Record<string, unknown>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'RS256', typ: 'JWT', kid: 'one' })}.${part(claims)}`
  return `${text}.${createSign('sha256').update(text).sign(key, 'base64url')}`
}
