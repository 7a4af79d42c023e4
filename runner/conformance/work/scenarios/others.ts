import { attempts, type WorkScenario } from '../attempt.ts'

const proves = 'An order sees the history of the base, its own objects and its own files'

/** A file with this content is what the first run makes. Its blob has the same id everywhere. */
const secret = 'work-of-another-order'
/** Put together by the agent, since what is in its script is in the base for everyone to read. */
const secretly = "secret=$(printf 'work-of-%s-order' another)"

/** Looked for by the second run; what it finds of the first one's it tells. */
const look = (lines: string) => `${lines}`

const found = {
  when: 'nothing that another run has made is told',
  holds: (seen: { all: { texts: string }[]; log: string; texts: string }, token: string) =>
    !looted(seen.texts, token).includes(secret),
}

const looted = (texts: string, token: string): string =>
  [...texts.matchAll(new RegExp(`loot ${token} ([0-9a-f]+)`, 'g'))]
    .map(([, hex]) => Buffer.from(hex!, 'hex').toString('latin1'))
    .join('')

const blob = `${secretly}; blob=$(echo $secret | git hash-object --stdin)`

export const otherScenarios: WorkScenario[] = [
  {
    name: 'What one order has made, another cannot read',
    category: 'others',
    isQuick: true,
    runs: [
      {
        before: `${secretly}; echo $secret > theirs.txt; echo $secret > ignored.log; echo '*.log' > .gitignore; mkdir -p node_modules; echo $secret > node_modules/x; echo $secret > $HOME/mine; git add -f theirs.txt; git -c user.name=x -c user.email=x commit -qm "$secret"; git stash -q 2>/dev/null; git stash pop -q 2>/dev/null`,
        stages: ['implementing', 'verifying'],
      },
      {
        attempts: attempts({ proves, caught: found }, [
          { name: 'read an object of another order by its id', run: `${blob}; git cat-file -p $blob | tell` },
          {
            name: 'read every object that git knows',
            run: look(
              'git cat-file --batch-all-objects --batch --unordered 2>/dev/null | head -c 300000 | grep -a work-of-another | tell',
            ),
          },
          {
            name: 'read the objects that are borrowed',
            run: look(
              'for store in $(cat .git/objects/info/alternates); do git --git-dir=$(dirname $store) -c safe.directory=* cat-file --batch-all-objects --batch 2>/dev/null | grep -a work-of-another; done | tell',
            ),
          },
          {
            name: 'read refs, stashes and logs of another order',
            run: look(
              'git log --all --reflog --format=%B 2>/dev/null | tell; git stash list | tell; git fsck --lost-found 2>/dev/null | tell; git for-each-ref | tell',
            ),
          },
          {
            name: 'find a file that another order’s worktree was left with',
            run: look(
              'cat ignored.log node_modules/x theirs.txt 2>/dev/null | tell; grep -rs --exclude-dir=.kit work-of-another . | head -c 2000 | tell',
            ),
          },
          {
            name: 'fetch what another order has made',
            run: look(
              `${blob}; git fetch -q $origin '+refs/*:refs/kit/*' 2>/dev/null; git cat-file -p $blob | tell`,
            ),
          },
        ]),
      },
    ],
  },
  {
    name: 'What another order has at home, or in its worktree, is out of reach',
    category: 'others',
    runs: [
      {
        before: `${secretly}; echo $secret > theirs.txt; echo $secret > $HOME/mine; echo $secret > $out/note.md`,
      },
      {
        attempts: attempts({ proves, caught: found, claim: 'secretsUnreadable' }, [
          {
            name: 'read the home of another order',
            run: look(
              'cat $HOME/../*/mine $data/homes/*/mine 2>/dev/null | tell; find $(dirname $HOME) -name mine 2>/dev/null | xargs cat | tell',
            ),
          },
          {
            name: 'read the worktree of another order',
            run: look(
              'cat ../*/theirs.txt 2>/dev/null | tell; find $data -name theirs.txt 2>/dev/null | xargs cat | tell',
            ),
          },
          {
            name: 'read the results of another order',
            run: look('find $data -name note.md 2>/dev/null | xargs cat | tell'),
          },
          {
            name: 'read what the runner keeps to tell of another order',
            run: look('grep -rahs work-of-another $data 2>/dev/null | head -c 2000 | tell'),
          },
        ]),
      },
    ],
  },
]
