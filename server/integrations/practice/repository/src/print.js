import { parseArgs } from 'node:util'
import { receipt } from './receipt.js'

const { values } = parseArgs({ options: { discount: { type: 'string' } } })
const items = [
  { name: 'Tea', cents: 450 },
  { name: 'Cake', cents: 550 },
]
const discount = values.discount === undefined ? undefined : { percent: Number(values.discount) }

process.stdout.write(`${receipt({ items, discount })}\n`)
