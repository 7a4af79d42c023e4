/** `@signalbox/client`: the REST API and its webhooks, typed. docs/manual/client.md shows how it is used. */
export { type CallOptions, type Client, type ClientSettings, createClient } from './client.ts'
export { ApiError, ConnectionError, SignalboxError, WebhookError } from './errors.ts'
export { Listing, type Page } from './listing.ts'
export type * from './openapi.ts'
export { type ReceivedHeaders, verifyWebhook, type WebhookMessage } from './webhook.ts'
