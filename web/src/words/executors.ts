import type { RunRow } from '@signalbox/contract/app/runs.ts'
import { executorNames } from '@signalbox/contract/executor-names.ts'

export const executors: Record<RunRow['executor'], string> = executorNames
