import type { OidcStart } from '@signalbox/contract/app/sign-in.ts'
import { useMutation } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { LogIn } from 'lucide-react'
import { type Failure, post } from '../api/client.ts'
import { useMe } from '../api/me.ts'
import { Button } from '../ui/button.tsx'
import { Wrong } from '../ui/refused.tsx'
import { Entry, entryLink } from './entry.tsx'
import { pathAfter } from './next.ts'
import { useWays } from './ways.ts'

/** Where someone ends up whose session does not open a workspace that requires the identity provider. */
export function SingleSignOnRequired() {
  const { next } = useSearch({ from: '/login/single-sign-on' })
  const [me, ways] = [useMe(), useWays()]
  const closed = pathAfter(next).split('/')[1]
  const others = me?.workspaces.filter(({ slug }) => slug !== closed) ?? []
  const provider = ways.data?.oidc
  const enter = useMutation<OidcStart, Failure>({
    mutationFn: () => post('/api/auth/sign-in/oidc', { returnTo: pathAfter(next) }),
    onSuccess: ({ url }) => location.assign(url),
  })
  return (
    <Entry
      title="Single sign-on required"
      lead={
        provider
          ? `This workspace requires single sign-on. Continue with ${provider.name} to open it.`
          : 'This workspace requires single sign-on, and this server has no identity provider. Ask the person who runs it.'
      }
      below={others.map(({ slug, name }) => (
        <Link key={slug} to="/$ws/inbox" params={{ ws: slug }} className={`block ${entryLink}`}>
          Open {name}
        </Link>
      ))}
    >
      {provider && (
        <div className="flex flex-col gap-3">
          <Wrong>{enter.error?.message}</Wrong>
          <Button
            look="primary"
            size="large"
            icon={<LogIn size={16} aria-hidden="true" />}
            busy={enter.isPending}
            onClick={() => enter.mutate()}
          >
            <span className="truncate">Continue with {provider.name}</span>
          </Button>
        </div>
      )}
    </Entry>
  )
}
