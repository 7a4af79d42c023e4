import { byKey } from '../proving/key.ts'
import type { Sender } from '../sender/sender.ts'
import { format } from './format.ts'
import { recipe } from './recipe.ts'
import { sample } from './sample.ts'

export const statuspage: Sender = { kind: 'statuspage', proving: byKey, format, sample, recipe }
