import { useForbidden } from '../api/me.ts'
import { useRead, useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Coded } from '../ui/coded.tsx'
import { Refused } from '../ui/refused.tsx'
import { say } from '../ui/toast.tsx'

/** Pull requests that take a merge back. Repositories on the server have no other page to merge them on. */
export function OpenReverts({ team }: { team: string }) {
  const { data } = useRead('teams.reverts', { team })
  const [merge, forbidden] = [useWrite('teams.mergeRevert'), useForbidden('merge a revert')]
  if (!data || data.data.length === 0) return null
  return (
    <section aria-label="Open reverts" className="mb-4 space-y-2">
      {data.data.map(({ number, title, base, repository }) => (
        <div
          key={`${repository} ${number}`}
          className="flex flex-wrap items-center gap-3 rounded border border-line p-3 text-sm"
        >
          <span className="grow">
            {repository} #{number}:{' '}
            <bdi>
              <Coded text={title} />
            </bdi>
          </span>
          <Button
            look="primary"
            busy={merge.isPending}
            forbidden={forbidden}
            onClick={() =>
              merge.mutate(
                { team, number, repository },
                { onSuccess: () => say(`Merged #${number} into ${base}`) },
              )
            }
          >
            Merge revert
          </Button>
        </div>
      ))}
      <Refused error={merge.error} />
    </section>
  )
}
