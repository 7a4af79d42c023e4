import type { WebhookRow } from '@signalbox/contract/app/webhooks.ts'
import { useForbidden } from '../api/me.ts'
import { useUnkept } from '../api/unkept.ts'
import { useAction } from '../ui/action.ts'
import { RotatingSecret } from '../ui/rotating-secret.tsx'

/** What messages of an endpoint are signed with. */
export function Secret({ endpoint: { id, formerSecretUntil } }: { endpoint: WebhookRow }) {
  const forbidden = useForbidden('manage webhooks')
  const rotate = useUnkept('webhooks.rotate')
  const end = useAction('webhooks.endFormerSecret', { said: 'Old secret ended' })
  return (
    <RotatingSecret
      hidden="whsec_••••••••••"
      forbidden={forbidden}
      formerUntil={formerSecretUntil}
      words={{
        former: 'Messages are also signed with the old secret',
        warning: 'is still used',
        rotated: 'is used',
        description:
          'For 24 hours, messages are signed with both secrets, so you don’t lose events while you switch.',
        ending:
          'A receiver that still checks with the old secret rejects messages immediately. They’re retried.',
      }}
      rotate={{
        error: rotate.error,
        isPending: rotate.isPending,
        send: (onMade) =>
          void rotate.send({ webhook: id }, ({ secret, formerSecretUntil: until }) =>
            onMade({ secret, until }),
          ),
      }}
      end={{ ...end, press: (_, close) => end.press({ webhook: id }, close) }}
    />
  )
}
