import {
  type WebhookType,
  webhookData,
  webhookExample,
  webhookMeanings,
} from '@signalbox/contract/webhooks.ts'

/** The manual's list of event types: when each is sent, and an example. */
export function webhookTypes(): string {
  const types = Object.keys(webhookData) as WebhookType[]
  const rows = types.map((type) => `| [\`${type}\`](#${type.replace('.', '')}) | ${webhookMeanings[type]} |`)
  return `# Webhook events

Every message has \`type\`, \`timestamp\`, \`apiVersion\`, \`workspace\` and \`data\`. Fields may be added to \`v1\` at any time; ignore the ones you don't know. [Webhooks](webhooks.md) says how messages are signed, retried and replayed. Their JSON Schemas are in the OpenAPI document, under \`webhooks\`. Generated from \`contract/webhooks.ts\`.

| Type | When |
|---|---|
${rows.join('\n')}

${types.map(sectionOf).join('\n\n')}
`
}

const sectionOf = (type: WebhookType): string => `## ${type}

${webhookMeanings[type]}

\`\`\`json
${JSON.stringify(webhookExample(type), null, 2)}
\`\`\``
