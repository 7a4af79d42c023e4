import type { reads, writes } from '@signalbox/contract/app/insights.ts'
import { readRework } from '../../../domain/work/insights/rework.ts'
import { readRunResults } from '../../../domain/work/insights/runs.ts'
import { readScoreboard } from '../../../domain/work/insights/scoreboard.ts'
import { readSpend } from '../../../domain/work/insights/spend.ts'
import { readWaiting } from '../../../domain/work/insights/waiting.ts'
import type { Handlers } from '../operation.ts'

export const insightsHandlers: Handlers<typeof reads & typeof writes> = {
  'insights.spend': readSpend,
  'insights.runs': readRunResults,
  'insights.waiting': readWaiting,
  'insights.rework': readRework,
  'insights.scoreboard': readScoreboard,
}
