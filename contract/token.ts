/** API tokens: what they may do and how long they live. */

export const permissions = ['read', 'write', 'delete', 'admin'] as const
export type Permission = (typeof permissions)[number]

/** Every token expires; one year is the maximum. */
export const tokenLifetimes = { '30d': 30, '90d': 90, '1y': 365 } as const
export type TokenLifetime = keyof typeof tokenLifetimes

export const tokenPattern = /^tk_[0-9A-Za-z]{32}$/
export const tokenPrefixLength = 11
