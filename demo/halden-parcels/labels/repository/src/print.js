import { parseArgs } from 'node:util'
import { label } from './label.js'

const { values } = parseArgs({
  options: {
    name: { type: 'string', default: 'Ada Quist' },
    street: { type: 'string', default: 'Storgata 4' },
    postcode: { type: 'string', default: '1772' },
    city: { type: 'string', default: 'Halden' },
    grams: { type: 'string' },
  },
})

process.stdout.write(
  `${label({ ...values, grams: values.grams === undefined ? undefined : Number(values.grams) })}\n`,
)
