import { attempts, type WorkScenario } from '../attempt.ts'
import { refused } from '../caught.ts'

const shared = { proves: 'What no one may allow is refused, by its name' }

const names = attempts(shared, [
  { name: 'a link to a file of the machine', run: 'ln -s /etc/passwd absolute', caught: refused('absolute') },
  { name: 'a link that leaves the repository', run: 'ln -s ../../.. up', caught: refused('up') },
  {
    name: 'a link that leaves it through another',
    run: 'mkdir d && ln -s ../.. d/one && ln -s d/one/.. two',
    caught: refused('two'),
  },
  {
    name: 'a link into the git folder',
    run: 'ln -s .git/config config-of-git',
    caught: refused('config-of-git'),
  },
  { name: 'a link to a path of Windows', run: "ln -s 'C:\\Windows' windows", caught: refused('windows') },
  {
    name: 'a file that names submodules',
    run: 'printf "[submodule \\"x\\"]\\n\\tpath = x\\n\\turl = ../x\\n" > .gitmodules',
    caught: refused('.gitmodules'),
  },
  { name: 'a stream behind a file', run: 'echo x > src/a.sh:hidden', caught: refused('src/a.sh:hidden') },
  { name: 'a short name of another file', run: 'echo x > KANMAN~1', caught: refused('KANMAN~1') },
  { name: 'two names that differ by case', run: 'mkdir SRC; echo x > SRC/shop.sh', caught: refused('SRC/') },
  {
    name: 'two names that differ by how a letter is written',
    run: "echo x > 'src/caf\u00e9'; echo x > 'src/cafe\u0301'",
    caught: refused('caf'),
  },
  { name: 'a name that is no UTF-8', run: 'printf x > "$(printf \'src/\\377\')"', caught: refused('UTF-8') },
])

const one = (name: string, run: string, ...words: string[]): WorkScenario['runs'][number] => ({
  attempts: attempts(shared, [{ name, run, caught: refused(...words) }]),
  ends: ['failed'],
})

export const refusedScenarios: WorkScenario[] = [
  {
    name: 'Links that lead out and names that mean another file are refused',
    category: 'refused',
    isQuick: true,
    runs: [{ attempts: names, ends: ['failed'] }],
  },
  {
    name: 'Repositories inside of the change, and huge files, are refused',
    category: 'refused',
    runs: [
      one(
        'a repository of its own',
        'git init -q n && cd n && git -c user.name=x -c user.email=x commit -q --allow-empty -m x',
        'n/',
      ),
      one(
        'a repository of its own without a commit',
        'mkdir -p m && git init -q m && echo x > m/file && git -C m add file && git -C m -c user.name=x -c user.email=x commit -qm x',
        'm/',
      ),
      one('a name that some systems take for .git', 'mkdir -p x/GIT~1; echo x > x/GIT~1/config', 'GIT~1'),
      one('a file that is too large', 'truncate -s 101M huge', 'huge'),
      one('more than a store should hold', 'for i in 1 2 3 4 5 6; do truncate -s 99M big$i; done', '500 MB'),
    ],
  },
]
