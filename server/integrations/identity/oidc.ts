import type { GenericOAuthConfig } from 'better-auth/plugins'

export interface OidcSettings {
  issuer: string
  clientId: string
  clientSecret: string
  name: string
}

/**
 * One provider, found by discovery, with PKCE and a nonce. A user's identity comes from the signed id token alone; the
 * library has checked its signature, issuer, audience and nonce before it is read here.
 */
export const oidcProvider = (
  settings: OidcSettings,
  note: (claimed: { authenticatedAt: Date }) => void,
): GenericOAuthConfig => ({
  providerId: 'oidc',
  name: settings.name,
  discoveryUrl: `${settings.issuer}/.well-known/openid-configuration`,
  clientId: settings.clientId,
  clientSecret: settings.clientSecret,
  scopes: ['openid', 'email', 'profile'],
  pkce: true,
  requireIdTokenVerification: true,
  disableSignUp: true,
  disableImplicitSignUp: true,
  overrideUserInfo: false,
  disableProviderLogout: true,
  // The type allows a missing subject; without one the sign-in fails.
  accountSubject: ({ profile }) => (typeof profile.sub === 'string' ? profile.sub : ''),
  getUserInfo: async ({ idToken }) => {
    const claims = idToken ? claimsOf(idToken) : null
    if (!claims || typeof claims.sub !== 'string' || !claims.sub || typeof claims.email !== 'string')
      return null
    if (typeof claims.auth_time === 'number') note({ authenticatedAt: new Date(claims.auth_time * 1000) })
    return {
      id: claims.sub,
      sub: claims.sub,
      email: claims.email,
      // Some send the word.
      emailVerified: claims.email_verified === true || claims.email_verified === 'true',
      name: typeof claims.name === 'string' ? claims.name : claims.email,
    }
  },
})

function claimsOf(token: string): Record<string, unknown> | null {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
  } catch {
    return null
  }
}
