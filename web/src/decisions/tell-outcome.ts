import type { ResolvedDecision } from '@signalbox/contract/decision.ts'
import { toast } from '../ui/toast.tsx'

/** Says what an answer led to, with the way to the decision. */
export function tellOutcome(resolved: ResolvedDecision, open: (() => void) | null): void {
  toast({
    title: resolved.effects.map(({ message }) => message).join(' ') || 'Answer sent',
    timeout: 7_000,
    ...(open ? { actionProps: { children: `View ${resolved.key}`, onClick: open } } : {}),
  })
}
