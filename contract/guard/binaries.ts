import { isUtf8 } from 'node:buffer'
import { dictionary } from '../dictionary.ts'

/** What a file begins with that a machine runs. */
const programs: Record<string, string[]> = dictionary({
  'a program for Linux or Unix (ELF)': ['7f454c46'],
  'a program for Windows': ['4d5a'],
  'a program for macOS (Mach-O)': ['feedface', 'feedfacf', 'cefaedfe', 'cffaedfe', 'cafebabf'],
  'a Java class or a program for macOS': ['cafebabe'],
  'a program in WebAssembly': ['0061736d'],
  'bytecode of Android': ['6465780a'],
  'bitcode of LLVM': ['4243c0de'],
  'bytecode of Lua': ['1b4c7561'],
  'an archive of object files': ['213c617263683e0a'],
  'an installer or a document with macros': ['d0cf11e0a1b11ae1'],
  'a package for Linux': ['edabeedb'],
})
const packed = ['504b0304', '1f8b', '526172211a07', '377abcaf271c', '425a68', 'fd377a585a00', '28b52ffd']

const beginnings = (all: string[]) => all.map((begins) => Buffer.from(begins, 'hex'))
const programBegins = Object.entries(programs).map(([what, all]) => [what, beginnings(all)] as const)
const packedBegins = beginnings(packed)

/** Packed, and run as it is. */
const runArchives =
  /\.(?:jar|war|ear|aar|apk|aab|ipa|xpi|crx|vsix|whl|egg|nupkg|appx|msix|phar|pyz|pex|gem|xlsm|docm|pptm)$/i
const compiled =
  /\.(?:py[co]|beam|elc|fasl?|rbc|exe|dll|so|dylib|node|o|a|lib|sys|scr|com|msi|deb|rpm|dmg|pkg|ko|bundle)$/i

export interface Binary {
  kind: 'program' | 'binary'
  what: string
}

/** What a file is that cannot be read as text; null: it can. A program is one whatever its name says. */
export function binaryOf(path: string, content: Buffer): Binary | null {
  const isText = !content.includes(0) && isUtf8(content)
  const begins = (all: Buffer[]) =>
    all.some((one) => content.subarray(0, one.length).equals(one) && !(isText && one.length < 4))
  const program = programBegins.find(([, all]) => begins(all))
  if (program) return { kind: 'program', what: program[0] }
  const isPacked = begins(packedBegins)
  if (isPacked && runArchives.test(path)) return { kind: 'program', what: 'an archive that is run as it is' }
  // Text of another encoding than ours has no zeros.
  if (!isPacked && !content.includes(0)) return null
  if (compiled.test(path)) return { kind: 'program', what: 'compiled code' }
  return { kind: 'binary', what: isPacked ? 'a packed archive' : 'a binary file' }
}
