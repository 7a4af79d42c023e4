import type { WebhookRow } from '@signalbox/contract/app/webhooks.ts'
import { useMay } from '../api/me.ts'
import { useWrite } from '../api/queries.ts'
import { useUnkept } from '../api/unkept.ts'
import { RotatingSecret } from '../ui/rotating-secret.tsx'
import { onlyAdmins } from './words.ts'

/** What messages of an endpoint are signed with. */
export function Secret({ endpoint: { id, formerSecretUntil } }: { endpoint: WebhookRow }) {
  const may = useMay('admin')
  const rotate = useUnkept('webhooks.rotate')
  const end = useWrite('webhooks.endFormerSecret')
  return (
    <RotatingSecret
      hidden="whsec_••••••••••"
      forbidden={!may && onlyAdmins}
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
      end={{ isPending: end.isPending, send: (then) => end.mutate({ webhook: id }, then) }}
    />
  )
}
