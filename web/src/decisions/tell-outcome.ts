import type { ResolvedDecision } from '@signalbox/contract/decision.ts'
import { toast } from '../ui/toast.tsx'

/** Says what an answer led to, with the way to the run that goes on, or to the decision where there is none. */
export function tellOutcome(resolved: ResolvedDecision, open: (() => void) | null): void {
  toast({
    title: resolved.effects.map(({ message }) => message).join(' ') || 'Answer sent',
    timeout: 7_000,
    ...(open ? { actionProps: { children: `View ${resolved.runKey ?? resolved.key}`, onClick: open } } : {}),
  })
}
