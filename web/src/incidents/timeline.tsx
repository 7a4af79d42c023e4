import type { IncidentPage } from '@signalbox/contract/app/incidents.ts'
import { useState } from 'react'
import { Coded } from '../ui/coded.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { NoteBox } from './note-box.tsx'
import { type Step, type StepKind, stepKinds, stepsOf, stepWords } from './steps.ts'

/** One timeline of everything; kinds can be switched off. */
export function Timeline({ incident }: { incident: IncidentPage }) {
  const [hidden, setHidden] = useState<ReadonlySet<StepKind>>(new Set())
  const steps = stepsOf(incident)
  const shown = steps.filter(({ kind }) => !hidden.has(kind))
  const there = stepKinds.filter((kind) => steps.some((step) => step.kind === kind))
  const toggle = (kind: StepKind) => {
    const next = new Set(hidden)
    if (!next.delete(kind)) next.add(kind)
    setHidden(next)
  }
  return (
    <Section title="Timeline">
      {there.length > 1 && (
        <fieldset className="mb-3 flex flex-wrap gap-1.5">
          <legend className="sr-only">Filter timeline</legend>
          {there.map((kind) => {
            const { name, icon: Icon } = stepWords[kind]
            const on = !hidden.has(kind)
            return (
              <button
                key={kind}
                type="button"
                aria-pressed={on}
                onClick={() => toggle(kind)}
                className={`inline-flex h-7 pointer-coarse:h-[44px] items-center gap-1.5 rounded-full border px-2.5 text-xs ${on ? 'bg-selected text-text' : 'bg-surface text-muted line-through'}`}
              >
                <Icon size={12} aria-hidden="true" />
                {name}
              </button>
            )
          })}
        </fieldset>
      )}
      {shown.length === 0 ? (
        <p className="text-sm text-muted">All steps are hidden.</p>
      ) : (
        <ol className="flex flex-col">
          {shown.map((step, index) => (
            <Row key={step.id} step={step} isLast={index === shown.length - 1} />
          ))}
        </ol>
      )}
      <NoteBox incident={incident.key} />
    </Section>
  )
}

function Row({ step, isLast }: { step: Step; isLast: boolean }) {
  const { name, icon: Icon } = stepWords[step.kind]
  return (
    <li className="relative flex gap-3 pb-4">
      {!isLast && <span aria-hidden="true" className="absolute top-7 bottom-0 left-3 w-px bg-line" />}
      <span className="flex size-6 shrink-0 items-center justify-center rounded-full border bg-surface text-muted">
        <Icon size={12} aria-hidden="true" />
        <span className="sr-only">{name}</span>
      </span>
      <div className="min-w-0 flex-1 pt-0.5 text-sm">
        <div className="flex flex-wrap items-baseline gap-x-2">
          {step.by && <span className="font-medium">{step.by}</span>}
          <span
            dir="auto"
            className={`min-w-0 break-words whitespace-pre-wrap ${step.kind === 'notes' ? 'basis-full rounded-md border bg-surface px-3 py-2' : ''}`}
          >
            <Coded text={step.text} />
          </span>
          <span className="text-xs text-muted">
            <Time at={step.at} />
          </span>
          {step.decision && (
            <KeyLink to="decision" of={step.decision} className={linkClass}>
              Open {step.decision}
            </KeyLink>
          )}
          {step.story && (
            <KeyLink to="story" of={step.story} className={linkClass}>
              Open {step.story}
            </KeyLink>
          )}
        </div>
      </div>
    </li>
  )
}

const linkClass = 'inline-flex min-h-7 items-center text-xs text-accent hover:underline'
