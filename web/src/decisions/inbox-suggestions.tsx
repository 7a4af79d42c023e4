import { Lightbulb } from 'lucide-react'
import { useRead } from '../api/queries.ts'
import { askedOf } from '../policies/suggested.ts'
import { Link } from '../ui/link.ts'

/** What people's answers suggest for their policies: answered on the page of the policy, with its rehearsal. */
export default function InboxSuggestions({ team }: { team: string | undefined }) {
  const found = useRead('suggestions.list', {}).data?.data.filter((one) => !team || one.team === team) ?? []
  if (found.length === 0) return null
  return (
    <ul aria-label="Policy suggestions" className="max-h-40 shrink-0 overflow-y-auto border-t bg-info-soft">
      {found.map((suggestion) => (
        <li key={suggestion.team}>
          <Link
            to="/$ws/teams/$team/settings/policy"
            params={{ team: suggestion.team }}
            className="flex gap-2 px-4 py-2.5 text-sm -outline-offset-2! hover:underline md:px-8"
          >
            <Lightbulb size={16} aria-hidden="true" className="mt-0.5 shrink-0 text-info" />
            <span className="min-w-0 break-words">
              <span className="font-medium">
                <bdi>{suggestion.teamName}</bdi>:
              </span>{' '}
              {askedOf(suggestion)}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
