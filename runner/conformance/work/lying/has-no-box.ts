import { Bare } from '../../../box/bare.ts'
import { unmeasured } from '../../../box/unmeasured.ts'
import { runLying } from './lie.ts'

/** Has no box, and says so: no lie. What holds without one holds here, too. */
await runLying({ box: new Bare(unmeasured, []) })
