import { decisionKey } from '@signalbox/contract/keys.ts'
import { awaitDecision, DecisionView, writtenByOthers } from '../calls/decision-view.ts'
import { reads, takes, tool, waitSeconds } from '../calls/tool.ts'

export const getDecision = tool({
  name: 'get_decision',
  title: 'Read a decision, or wait for its answer',
  description:
    'Reads one decision: what is asked and why, its options with what each would do (consequences), whether you may answer it, and the answer once there is one. With waitSeconds the call is held until it is answered or the time is over: this is how to wait for the answer to request_human_input.',
  toolset: 'default',
  hints: reads,
  input: takes({ decision: decisionKey, waitSeconds: waitSeconds(0) }),
  output: DecisionView,
  outside: writtenByOthers,
  call: (call, { decision, waitSeconds = 0 }) => awaitDecision(call, decision, waitSeconds),
})
