/** Where the sign-in library finds its models: in our tables, by our names (migrations/0011_sign_in.sql). */
const stamps = { createdAt: 'created_at', updatedAt: 'updated_at' }

export const userTable = {
  modelName: 'people',
  fields: { emailVerified: 'email_verified', ...stamps },
}

export const sessionTable = {
  modelName: 'sessions',
  fields: {
    userId: 'person_id',
    ipAddress: 'ip_address',
    userAgent: 'user_agent',
    expiresAt: 'expires_at',
    ...stamps,
  },
}

export const accountTable = {
  modelName: 'accounts',
  fields: {
    userId: 'person_id',
    providerId: 'provider_id',
    accountId: 'account_id',
    accessToken: 'access_token',
    refreshToken: 'refresh_token',
    idToken: 'id_token',
    accessTokenExpiresAt: 'access_token_expires_at',
    refreshTokenExpiresAt: 'refresh_token_expires_at',
    ...stamps,
  },
}

export const verificationTable = {
  modelName: 'verifications',
  fields: { expiresAt: 'expires_at', ...stamps },
}

export const passkeyTable = {
  passkey: {
    modelName: 'passkeys',
    fields: {
      userId: 'person_id',
      publicKey: 'public_key',
      credentialID: 'credential_id',
      deviceType: 'device_type',
      backedUp: 'backed_up',
      createdAt: 'created_at',
    },
  },
}

export const twoFactorTable = {
  user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
  twoFactor: {
    modelName: 'two_factors',
    fields: {
      userId: 'person_id',
      backupCodes: 'backup_codes',
      failedVerificationCount: 'failed_verification_count',
      lockedUntil: 'locked_until',
    },
  },
}

export const deviceCodeTable = {
  deviceCode: {
    modelName: 'device_codes',
    fields: {
      deviceCode: 'device_code',
      userCode: 'user_code',
      userId: 'person_id',
      expiresAt: 'expires_at',
      lastPolledAt: 'last_polled_at',
      pollingInterval: 'polling_interval',
      clientId: 'client_id',
    },
  },
}
