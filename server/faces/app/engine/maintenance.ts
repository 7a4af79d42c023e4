import type { reads, writes } from '@signalbox/contract/app/maintenance.ts'
import { readMaintenance } from '../../../domain/engine/surveys/read-maintenance.ts'
import { startSurvey } from '../../../domain/engine/surveys/start-survey.ts'
import { stopSurvey } from '../../../domain/engine/surveys/stop-survey.ts'
import type { Handlers } from '../operation.ts'

export const maintenanceHandlers: Handlers<typeof reads & typeof writes> = {
  'maintenance.read': (ctx, { team }) => readMaintenance(ctx, team),
  'maintenance.start': (ctx, { team }) => startSurvey(ctx, team),
  'maintenance.stop': async (ctx, { team }) => {
    await stopSurvey(ctx, team)
    return null
  },
}
