import { byToken } from '../proving/token.ts'
import type { Sender } from '../sender/sender.ts'
import { format } from './format.ts'
import { recipe } from './recipe.ts'
import { sample } from './sample.ts'

export const newrelic: Sender = { kind: 'newrelic', proving: byToken, format, sample, recipe }
