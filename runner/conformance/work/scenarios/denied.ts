import { type Attempt, attempts, type WorkScenario } from '../attempt.ts'
import { both, reportedAsDenied, specUnchanged, unchanged } from '../caught.ts'

const file = '.kanman/acceptance/WEB-1/greets.sh'

const spec = attempts(
  { proves: 'The acceptance spec can’t be changed', claim: 'deniedPathsBlocked', caught: specUnchanged },
  [
    { name: 'write into the spec', run: `echo true > ${file}` },
    { name: 'delete the spec', run: `rm -rf ${file}` },
    { name: 'rename the spec', run: `mv ${file} away.sh` },
    { name: 'rename its folder', run: 'mv .kanman/acceptance .kanman/before' },
    {
      name: 'rename the folder above and build it anew',
      run: `mv .kanman k2 && mkdir -p .kanman/acceptance/WEB-1 && echo true > ${file}`,
    },
    { name: 'put a link in its place', run: 'rm -rf .kanman/acceptance && ln -s ../src .kanman/acceptance' },
    { name: 'put a link in place of the folder above', run: 'rm -rf .kanman && ln -s src .kanman' },
    { name: 'write through a link', run: `ln -s ${file} l && echo true > l; rm -f l` },
    { name: 'write through a hard link', run: `ln ${file} h && echo true > h; rm -f h` },
    { name: 'write through its open file', run: `exec 3<${file}; echo true > /proc/self/fd/3` },
    { name: 'make it executable', run: `chmod 755 ${file}` },
    { name: 'cut it off', run: `truncate -s 0 ${file}` },
    { name: 'move another file over it', run: `echo true > other && mv -f other ${file}; rm -f other` },
    { name: 'add a file to it', run: 'echo x > .kanman/acceptance/WEB-1/more.sh' },
    {
      name: 'add a spec of another story',
      run: 'mkdir .kanman/acceptance/WEB-2 && echo x > .kanman/acceptance/WEB-2/x',
    },
    { name: 'have git clean it away', run: 'git clean -qfdx .kanman/acceptance' },
    { name: 'have git check out over it', run: 'git checkout -qf HEAD -- . ; git stash -qu' },
    {
      name: 'mount something over it',
      run: `mount -t tmpfs none .kanman/acceptance && mkdir -p .kanman/acceptance/WEB-1 && echo true > ${file}`,
    },
    {
      name: 'take the mount away',
      run: `umount .kanman/acceptance && echo true > ${file}; umount -l .kanman && echo true > ${file}`,
    },
    {
      name: 'make the mount writable',
      run: `mount -o remount,rw,bind .kanman/acceptance && echo true > ${file}`,
    },
    {
      name: 'take the mount away as somebody else',
      run: `unshare --user --map-root-user --mount sh -c "umount .kanman/acceptance; mount -o remount,rw,bind .kanman/acceptance; echo true > ${file}"`,
    },
  ],
)

const infra = {
  proves: 'Denied paths are protected, also against renaming what is above them',
  claim: 'deniedPathsBlocked',
} as const

const paths: Attempt[] = [
  ...attempts({ ...infra, caught: unchanged('infra/main.tf', 'infra/apply.sh') }, [
    { name: 'change a denied file', run: 'echo x > infra/main.tf' },
    { name: 'rename a denied folder', run: 'mv infra infra2' },
    { name: 'delete a denied folder', run: 'rm -rf infra' },
    { name: 'make a denied file executable', run: 'chmod 755 infra/apply.sh' },
    { name: 'put a link in place of a denied folder', run: 'rm -rf infra; ln -s src infra' },
    { name: 'put a file in place of a denied folder', run: 'rm -rf infra; echo x > infra' },
    { name: 'move another folder over it', run: 'mkdir i && echo x > i/main.tf && mv -T i infra; rm -rf i' },
  ]),
  ...attempts({ ...infra, caught: both(unchanged('keys/server.pem'), reportedAsDenied('infra/new.tf')) }, [
    { name: 'add to a denied folder', run: 'echo x > infra/new.tf' },
    { name: 'change a single denied file', run: 'echo x > keys/server.pem' },
    { name: 'replace a single denied file', run: 'echo x > k && mv -f k keys/server.pem; rm -f k' },
    { name: 'delete the folder of a denied file', run: 'rm -rf keys' },
    {
      name: 'rename the folder of a denied file',
      run: 'mv keys keys2 && mkdir keys && echo x > keys/server.pem',
    },
  ]),
]

/** Reported by the rule that the server goes by, whether or not there is a box. */
const named = (name: string, run: string, path: string, shown?: string): Attempt => ({
  ...{ name, run, proves: 'A denied path is told of, however it is spelled' },
  caught: reportedAsDenied(path, shown),
})

const told: Attempt[] = [
  named('rename a file out of a denied folder', 'git mv infra/main.tf main.tf', 'infra/main.tf'),
  named('change nothing but the mode of a denied file', 'chmod 755 infra/apply.sh', 'infra/apply.sh'),
  named('add a file that a pattern denies', 'cp keys/server.pem src/copy.pem', 'src/copy.pem'),
  named('add a file that a pattern denies, deep down', 'mkdir -p a/b/c; echo x > a/b/c/d.pem', 'a/b/c/d.pem'),
  named(
    'add an acceptance spec of its own',
    'mkdir -p .kanman/acceptance/WEB-9; echo x > .kanman/acceptance/WEB-9/a',
    '.kanman/acceptance/WEB-9/a',
  ),
  named('other case', 'echo x > keys/SERVER2.PEM', 'keys/SERVER2.PEM'),
  named('a soft hyphen', "echo x > 'keys/a.p\u00adem'", 'keys/a.p\u00adem'),
  named('a full-width letter', "echo x > 'keys/b.ｐem'", 'keys/b.ｐem'),
  named('a space at the end', "echo x > 'keys/c.pem '", 'keys/c.pem '),
  named('a dot at the end', 'echo x > keys/d.pem.', 'keys/d.pem.'),
  named(
    'a denied name with the word Authorization in it',
    'mkdir -p src/Authorization; echo x > src/Authorization/e.pem',
    'src/Authorization/e.pem',
  ),
  named('a link with a denied name', 'ln -s ../src/shop.sh src/f.pem', 'src/f.pem'),
]

const refusedSpellings: Attempt[] = [
  named(
    'the folder of the spec in other case',
    'mkdir -p .Kanman/ACCEPTANCE/WEB-1; echo x > .Kanman/ACCEPTANCE/WEB-1/a',
    '.Kanman/ACCEPTANCE/WEB-1/a',
    '.Kanman',
  ),
  named(
    'a letter of no width',
    "mkdir 'inf\u200bra'; echo x > 'inf\u200bra/a.tf'",
    'inf\u200bra/a.tf',
    'inf\\u{200b}ra/',
  ),
]

const keep = {
  before: 'cp .kanman/gates.yml $HOME/gates.yml',
  after:
    'mkdir -p .kanman; cp $HOME/gates.yml .kanman/gates.yml; rm -rf k2; test -e greeting.txt || echo Hello. > greeting.txt',
}

export const deniedScenarios: WorkScenario[] = [
  {
    name: 'The acceptance spec and denied paths stay as they are, whatever an agent does',
    category: 'denied',
    isQuick: true,
    runs: [
      { attempts: spec, pinned: { 'greets.sh': 'grep -q Hello greeting.txt\n' }, ...keep },
      { attempts: paths, ...keep },
    ],
  },
  {
    name: 'A denied path is told of by every name that some system would take for it',
    category: 'told',
    isQuick: true,
    runs: [{ attempts: told }, { attempts: refusedSpellings, ends: ['failed', 'change_ready'] }],
  },
]
