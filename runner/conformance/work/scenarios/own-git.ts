import { type Attempt, attempts, type WorkScenario } from '../attempt.ts'
import { inPaths, notInChange, onlyPaths } from '../caught.ts'

/** A program of git's settings, which the agent's own git never starts: it is set last. */
const setting = (name: string, lines: string): Attempt[] =>
  attempts({ proves: 'The runner executes nothing that the agent has told git to execute' }, [
    { name: `have the runner execute ${name}`, run: lines },
  ])

const executing: Attempt[] = [
  ...setting('a monitor of files', 'git config core.fsmonitor "touch $ran/$token"'),
  ...setting(
    'a filter that cleans',
    'git config filter.evil.clean "touch $ran/$token; cat"; echo "*.sh filter=evil diff=evil merge=evil" > .gitattributes',
  ),
  ...setting(
    'a filter that smudges',
    'git config filter.evil.smudge "touch $ran/$token; cat"; git config filter.evil.required true',
  ),
  ...setting('a filter that runs on', 'git config filter.evil.process "touch $ran/$token"'),
  ...setting('a text conversion', 'git config diff.evil.textconv "touch $ran/$token; cat"'),
  ...setting(
    'an external diff',
    'git config diff.external "touch $ran/$token"; git config diff.evil.command "touch $ran/$token"',
  ),
  ...setting('a way to merge', 'git config merge.evil.driver "touch $ran/$token"'),
  ...setting('a way to SSH', 'git config core.sshCommand "touch $ran/$token"'),
  ...setting(
    'a pager and an editor',
    'git config core.pager "touch $ran/$token"; git config core.editor "touch $ran/$token"; git config sequence.editor "touch $ran/$token"',
  ),
  ...setting(
    'a helper for credentials',
    'git config credential.helper "!touch $ran/$token"; git config core.askPass "touch $ran/$token"',
  ),
  ...setting(
    'a program that signs',
    'git config gpg.program "touch $ran/$token"; git config commit.gpgSign true',
  ),
  ...setting(
    'a hook of its own git',
    'mkdir -p .git/hooks; for hook in post-checkout post-commit pre-commit pre-push post-index-change reference-transaction post-rewrite pre-auto-gc prepare-commit-msg; do printf "#!/bin/sh\\ntouch $ran/$token\\n" > .git/hooks/$hook; chmod 755 .git/hooks/$hook; done',
  ),
  ...setting(
    'a hook from a folder of the change',
    'mkdir -p .hooks; printf "#!/bin/sh\\ntouch $ran/$token\\n" > .hooks/pre-commit; cp .hooks/pre-commit .hooks/post-checkout; chmod 755 .hooks/*; git config core.hooksPath .hooks',
  ),
  ...setting(
    'an alias',
    'git config alias.add "!touch $ran/$token"; git config alias.status "!touch $ran/$token"',
  ),
  ...setting(
    'a setting from another file',
    'printf "[core]\\n\\tfsmonitor = touch $ran/$token\\n" > evil.config; git config include.path ../evil.config',
  ),
  ...setting(
    'a setting from its home',
    'printf "[core]\\n\\tfsmonitor = touch $ran/$token\\n\\thooksPath = $PWD/.hooks\\n" > $HOME/.gitconfig; mkdir -p $HOME/.config/git; cp $HOME/.gitconfig $HOME/.config/git/config',
  ),
  ...setting(
    'a transport of its own',
    'git config remote.origin.url "ext::sh -c touch% $ran/$token"; git config protocol.ext.allow always; git config remote.origin.uploadpack "touch $ran/$token"',
  ),
  ...setting(
    'a promise of objects',
    'git config extensions.partialClone origin; git config remote.origin.promisor true',
  ),
]

const hiding = attempts({ proves: 'What is told of a change is what stands in the worktree' }, [
  {
    name: 'hide a change by assume-unchanged',
    run: 'git update-index --assume-unchanged README.md; echo changed >> README.md',
    caught: inPaths('README.md'),
  },
  {
    name: 'hide a change by skip-worktree',
    run: 'git update-index --skip-worktree src/shop.sh; echo changed >> src/shop.sh',
    caught: inPaths('src/shop.sh'),
  },
  {
    name: 'forge size and time',
    run: 'cp -p src/price.sh $HOME/p; echo "echo 99" > src/price.sh; touch -r $HOME/p src/price.sh',
    caught: inPaths('src/price.sh'),
  },
  {
    name: 'hide a tracked file by .gitignore',
    run: 'echo package.json >> .gitignore; echo "{}" > package.json',
    caught: inPaths('package.json'),
  },
  {
    name: 'smuggle an ignored file',
    run: 'echo hidden.sh >> .gitignore; echo x > hidden.sh',
    caught: notInChange('hidden.sh'),
  },
  {
    name: 'hide a file by info/exclude',
    run: 'mkdir -p .git/info; echo excluded.sh >> .git/info/exclude; echo x > excluded.sh',
    caught: inPaths('excluded.sh'),
  },
  {
    name: 'hide a change by a replaced object',
    run: 'git replace -f $(git rev-parse HEAD:test/shop.test.sh) $(git rev-parse HEAD:README.md); echo changed > test/shop.test.sh',
    caught: inPaths('test/shop.test.sh'),
  },
  {
    name: 'hide a change by a sparse checkout',
    run: 'git sparse-checkout set src 2>/dev/null; git sparse-checkout disable 2>/dev/null; echo changed > test/price.test.js',
    caught: inPaths('test/price.test.js'),
  },
  {
    name: 'hide a file by committing it',
    run: 'echo x > committed.sh; git add -f committed.sh; git -c user.name=x -c user.email=x commit -qm x',
    caught: inPaths('committed.sh'),
  },
  {
    name: 'rewrite the history',
    run: 'git checkout -q --orphan rewritten && git -c user.name=x -c user.email=x commit -qm "[skip ci]" --allow-empty',
    caught: { when: 'the work is built on the base', holds: ({ actual }) => actual?.isOnTop === true },
  },
  {
    name: 'say [skip ci] in the message',
    caught: {
      when: 'the commit’s message has no words of the agent’s',
      holds: ({ actual }) => actual !== null && !actual.message.includes('skip ci'),
    },
  },
])

const ledAway = (name: string, run: string) => ({
  attempts: attempts({ proves: 'What is told of a change is what stands in the worktree' }, [
    { name, run, caught: onlyPaths('greeting.txt') },
  ]),
})

export const ownGitScenarios: WorkScenario[] = [
  {
    name: 'What the agent tells its own git is executed by nobody else',
    category: 'git',
    isQuick: true,
    runs: [{ attempts: [...hiding, ...executing] }],
  },
  {
    name: 'A git folder that leads elsewhere leads nobody',
    category: 'git',
    runs: [
      ledAway('lead git elsewhere by a file .git', 'mv .git $HOME/evil && echo "gitdir: $HOME/evil" > .git'),
      ledAway('lead git elsewhere by a link', 'rm -rf .git && ln -s $mine .git'),
      ledAway('lead git elsewhere by another worktree', 'git config core.worktree /tmp'),
      ledAway('leave no git folder at all', 'rm -rf .git'),
      ledAway(
        'leave a git folder that is broken',
        'rm -rf .git/objects .git/HEAD; head -c 100000 /dev/urandom > .git/index',
      ),
      ledAway(
        'borrow objects from elsewhere',
        'mkdir -p .git/objects/info; echo $origin/objects >> .git/objects/info/alternates; echo $mine > .git/commondir',
      ),
    ],
  },
]
