import type {
  NightReport as Report,
  Sentence,
  WaitingSentence,
} from '@signalbox/contract/app/night-report.ts'
import { useParams } from '@tanstack/react-router'
import { CircleAlert, CircleCheck, CircleDot, type LucideIcon, Sunrise, TriangleAlert } from 'lucide-react'
import { serverNow } from '../api/clock.ts'
import { useRead } from '../api/queries.ts'
import { dateOf, dayOf } from '../browser/formats.ts'
import { expiryOf } from '../decisions/wording.ts'
import { Choice } from '../ui/choice.tsx'
import { Coded, Keyed } from '../ui/coded.tsx'
import { Link, useGo } from '../ui/link.ts'
import { Card, Empty, Loaded, Page, Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { TargetLink } from './target-link.tsx'

/** What happened overnight and what waits: of the last night up to now, or as it was sent on a morning. */
export function NightReport() {
  const { morning } = useParams({ strict: false })
  const report = useRead('report.read', morning ? { morning } : {}, { keep: true })
  return (
    <Page title="Night shift report" aside={<Mornings morning={morning} />}>
      <Loaded of={report} lines={10}>
        {(found) => <Shown report={found} />}
      </Loaded>
    </Page>
  )
}

function Mornings({ morning }: { morning: string | undefined }) {
  const go = useGo()
  const sent = useRead('report.mornings', {}).data ?? []
  const known = morning && !sent.includes(morning) ? [morning, ...sent] : sent
  return (
    <Choice
      label="Morning"
      className="w-44!"
      value={morning ?? ''}
      onChange={(chosen) =>
        void (chosen
          ? go({ to: '/$ws/report/$morning', params: { morning: chosen } })
          : go({ to: '/$ws/report' }))
      }
      none="Last night"
      of={known.map((day): [string, string] => [day, dayOf(day)])}
    />
  )
}

function Shown({ report }: { report: Report }) {
  const { done, waiting, spent, nearly } = report
  const isEmpty = [done, waiting, spent, nearly].every(({ sentences }) => sentences.length === 0)
  return (
    <>
      <p className="mb-5 text-sm text-muted">
        {dateOf(report.from)} to {dateOf(report.until)}.{' '}
        <Link to="/account" search={{ tab: 'notifications' }} className="text-accent underline">
          Choose when it’s sent
        </Link>
      </p>
      {isEmpty ? (
        <Empty icon={Sunrise} title="A quiet night">
          Nothing happened in this time, and nothing is waiting for you.
        </Empty>
      ) : (
        <div className="grid gap-x-6 lg:grid-cols-2 lg:items-start">
          <Part
            {...{ title: 'Waiting for you', of: waiting, report }}
            hint={shortestPath(waiting.shortest)}
            nothing="Nothing is waiting for you"
          />
          <div>
            <Part {...{ title: 'Done', of: done, report }} nothing="Nothing was finished" />
            <Part {...{ title: 'Nearly went wrong', of: nearly, report }} nothing="No close calls" />
            <Part {...{ title: 'Spent', of: spent, report }} nothing="Nothing was spent" />
          </div>
        </div>
      )}
      {report.isCut && (
        <p className="text-sm text-muted">
          More happened than fits in one report. It’s made from the newest 5,000 entries of the audit log.
        </p>
      )}
    </>
  )
}

const shortestPath = (shortest: Report['waiting']['shortest']): string | undefined =>
  shortest
    ? `The first ${shortest.answers === 1 ? 'answer unblocks' : `${shortest.answers} answers unblock`} ${shortest.unblocks} of ${shortest.of}.`
    : undefined

interface PartProps {
  title: string
  of: { sentences: (Sentence | WaitingSentence)[]; more: Sentence | null }
  report: Report
  hint?: string | undefined
  nothing: string
}

function Part({ title, of: { sentences, more }, report, hint, nothing }: PartProps) {
  const all = more ? [...sentences, more] : sentences
  return (
    <Section title={title} hint={hint}>
      {all.length === 0 ? (
        <p className="text-sm text-muted">{nothing}</p>
      ) : (
        <Card>
          <ul className="divide-y">
            {all.map((one) => (
              <li key={`${one.text} ${one.at}`}>
                <TargetLink
                  target={one.target}
                  span={report}
                  className="flex items-start gap-2.5 px-4 py-2.5 text-sm hover:bg-hover"
                >
                  <Line sentence={one} />
                </TargetLink>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Section>
  )
}

const looks: Record<Sentence['tone'], { icon: LucideIcon; className: string; word: string }> = {
  ok: { icon: CircleCheck, className: 'text-ok', word: '' },
  neutral: { icon: CircleDot, className: 'text-muted', word: '' },
  warn: { icon: TriangleAlert, className: 'text-warn', word: 'Warning: ' },
  danger: { icon: CircleAlert, className: 'text-danger', word: 'Problem: ' },
}

function Line({ sentence }: { sentence: Sentence | WaitingSentence }) {
  const isQuestion = 'recommended' in sentence
  const { icon: Icon, className, word } = looks[sentence.tone]
  const expiry = isQuestion ? expiryOf(sentence.expiresAt, serverNow()) : null
  return (
    <>
      <Icon size={16} aria-hidden="true" className={`mt-0.5 shrink-0 ${className}`} />
      <span className="min-w-0 flex-1">
        <span dir="auto" className="block wrap-anywhere">
          {!isQuestion && word && <span className="sr-only">{word}</span>}
          <Coded text={sentence.text} />
        </span>
        {isQuestion && (
          <span className="block text-xs wrap-anywhere text-muted">
            Recommended: <Keyed text={sentence.recommended} />
            {expiry && (
              <>
                {' · '}
                <span className={`whitespace-nowrap ${expiry.isSoon ? 'font-medium text-warn' : ''}`}>
                  {expiry.text}
                </span>
              </>
            )}
          </span>
        )}
      </span>
      {sentence.at && (
        <span className="shrink-0 text-xs text-muted">
          <Time at={sentence.at} plain />
        </span>
      )}
    </>
  )
}
