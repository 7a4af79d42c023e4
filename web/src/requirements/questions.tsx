import type { RequirementPage } from '@signalbox/contract/app/requirements.ts'
import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { useState } from 'react'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { LeaveGuard } from '../ui/leave-guard.tsx'
import { Markdown } from '../ui/markdown.tsx'
import { Card, Section } from '../ui/page.tsx'
import { LongTextField } from '../ui/text-field.tsx'

/** What has to be known before anything is drafted; later, what was said. */
export function Questions({ requirement }: { requirement: RequirementPage }) {
  return requirement.status === 'clarifying' ? (
    <Ask requirement={requirement} />
  ) : (
    <Section title="Questions and answers">
      <Card className="p-4">
        <dl className="flex flex-col gap-3 text-sm">
          {requirement.questions.map(({ id, text, answer }) => (
            <div key={id}>
              <dt dir="auto" className="font-medium break-words">
                {text}
              </dt>
              <dd className="mt-1 break-words text-muted">
                <Markdown text={answer ?? 'Not answered'} />
              </dd>
            </div>
          ))}
        </dl>
      </Card>
    </Section>
  )
}

function Ask({ requirement: { slug, questions } }: { requirement: RequirementPage }) {
  const [typed, setTyped] = useState<Record<string, string>>({})
  const answer = useAction('requirements.answer', {
    alsoStale: ['stories', 'teams'],
    said: ({ status }) =>
      status === 'clarifying' ? 'Answers saved. Answer the rest to get drafts.' : 'Drafts created',
  })
  const answers = questions
    .map((question) => ({ id: question.id, answer: (typed[question.id] ?? question.answer ?? '').trim() }))
    .filter((given) => given.answer !== '')
  const open = questions.length - answers.length
  const isAllAnswered = questions.every((question) => question.answer !== null)
  const isUnsaved = questions.some(({ id, answer: kept }) => (typed[id] ?? kept ?? '') !== (kept ?? ''))
  return (
    <Section
      title={questions.length === 1 ? '1 question first' : `${questions.length} questions first`}
      hint="Some details are missing. Once you’ve answered everything, the stories are drafted."
    >
      <Card className="p-4">
        <Form onSend={() => answers.length > 0 && answer.press({ slug, answers })}>
          {questions.map((question) => (
            <LongTextField
              key={question.id}
              label={question.text}
              hint={question.answer ? 'Answered' : ''}
              rows={3}
              maxLength={maxNoteLength}
              value={typed[question.id] ?? question.answer ?? ''}
              onChange={(text) => setTyped({ ...typed, [question.id]: text })}
            />
          ))}
          <LeaveGuard when={isUnsaved && !answer.isPending} what="Your answer" />
          <div className="flex flex-wrap items-center gap-3">
            <Button
              type="submit"
              look="primary"
              busy={answer.isPending}
              forbidden={answers.length === 0 && 'Answer at least one question first'}
            >
              {open > 0 ? 'Save answers' : isAllAnswered ? 'Create drafts again' : 'Answer and create drafts'}
            </Button>
            <span role="status" className="text-sm text-muted">
              {answer.isPending
                ? 'Drafting stories…'
                : open > 0
                  ? `${open} of ${questions.length} unanswered`
                  : ''}
            </span>
          </div>
        </Form>
      </Card>
    </Section>
  )
}
