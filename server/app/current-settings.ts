import type { CurrentSettings } from '@signalbox/contract/remedy.ts'
import type { Config } from './config.ts'

/** The lists of the configuration to which a remedy adds something. */
export const currentSettingsOf = (config: Config): CurrentSettings => ({
  GIT_ALLOW: config.gitAllow.join(','),
  CONNECTION_ALLOW: config.connectionAllow.join(','),
  WEBHOOK_ALLOW: config.webhookAllow.join(','),
  UPTIME_ALLOW: config.uptimeAllow.join(','),
  EXCHANGE_RATES: Object.entries(config.exchangeRates)
    .map(([currency, rate]) => `${currency}=${rate}`)
    .join(','),
  PUSH_ALLOW: config.pushAllow.join(','),
})
