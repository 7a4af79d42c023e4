import type { Sender } from '../sender/sender.ts'
import { format } from './format.ts'
import { proving } from './proof.ts'
import { recipe } from './recipe.ts'
import { sample } from './sample.ts'

export const sentry: Sender = { kind: 'sentry', proving, format, sample, recipe }
