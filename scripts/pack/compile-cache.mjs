import { enableCompileCache } from 'node:module'
import path from 'node:path'

// Given to Node before the program. In the package's own folder, where only the account that installed it can leave
// code; where that is another account, nothing is kept.
enableCompileCache(path.join(import.meta.dirname, '.cache'))
