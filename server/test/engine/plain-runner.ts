import { readConfig } from '../../../runner/config.ts'
import { openWorkshop, registrationOf } from '../../../runner/equipment.ts'
import { runAsProcess } from '../../../runner/process.ts'
import { plainBox } from '../../../runner/test/plain-box.ts'
import { performOrderIn } from '../../../runner/work/perform-order.ts'

/** Our own runner as a process of its own, so that a test can kill it, without a box. Its options are the command's. */
const config = readConfig(process.argv.slice(2), process.env)
const shop = { ...(await openWorkshop(config, process.env)), box: plainBox() }
process.exit(
  await runAsProcess(config, { ...registrationOf(shop), work: performOrderIn(shop), trash: shop.trash }),
)
