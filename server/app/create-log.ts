import { createLog, type Logger } from '../infra/log.ts'
import type { Config } from './config.ts'

/** The log of a process; its lines say which trace they belong to where something is traced. */
export const createProcessLog = ({ logLevel, telemetry }: Pick<Config, 'logLevel' | 'telemetry'>): Logger =>
  createLog({ level: logLevel, traced: telemetry !== null })
