import type { SurveyRow } from '@signalbox/contract/app/maintenance.ts'
import { useParams, useSearch } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useRead, useWorkspace } from '../api/queries.ts'
import { money } from '../browser/formats.ts'
import { resultOf, surveyStatuses } from '../policies/maintenance.tsx'
import { Badge } from '../ui/badge.tsx'
import { Link, useGo } from '../ui/link.ts'
import { Loaded, Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { LogView, shownAfter } from './log.tsx'

const path = '/$ws/teams/$team/settings/policy/surveys/$key'

/** What one survey came to, and what its agent printed. */
export function SurveyScreen() {
  const [ws, navigate] = [useWorkspace(), useGo()]
  const { team, key } = useParams({ from: path })
  const { q, line } = useSearch({ from: path })
  const page = useRead('maintenance.read', { team })
  return (
    <Section title="Maintenance survey">
      <p className="mb-3 text-sm">
        <Link
          to="/$ws/teams/$team/settings/policy"
          params={{ team }}
          className="inline-flex items-center gap-1 text-accent hover:underline"
        >
          <ArrowLeft size={14} aria-hidden="true" /> Back to policy
        </Link>
      </p>
      <Loaded of={page}>
        {({ surveys }) => {
          // Only the newest are listed; the log of an older one is still there.
          const survey = surveys.find((one) => one.key === key)
          return (
            <>
              {survey && <Facts survey={survey} />}
              <LogView
                key={key}
                runKey={key}
                isEnded={!survey || survey.endedAt !== null}
                {...{ q, line }}
                addressOf={(position) =>
                  `/${ws}/teams/${team}/settings/policy/surveys/${key}?line=${position}`
                }
                onShow={(next) =>
                  void navigate({
                    to: path,
                    params: { team, key },
                    search: (before) => shownAfter(before, next),
                    replace: true,
                    resetScroll: false,
                  })
                }
              />
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}

const Facts = ({ survey }: { survey: SurveyRow }) => (
  <p className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
    <Badge {...surveyStatuses[survey.status]} />
    <span>
      Started <Time at={survey.startedAt} /> by {survey.startedBy ?? 'schedule'}
    </span>
    {survey.repository && <span>Repository: {survey.repository}</span>}
    <span>Runner: {survey.runner ?? 'None'}</span>
    <span>Cost: {money(survey.costCents)}</span>
    <span className="basis-full break-words">{resultOf(survey)}</span>
  </p>
)
