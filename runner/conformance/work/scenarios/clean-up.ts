import { type Attempt, attempts, type WorkScenario } from '../attempt.ts'
import { stillWorks } from '../caught.ts'

/** Left in the results, the home and the worktree, each to be tidied up by the runner. */
const everywhere = (lines: string) =>
  `for place in $out $HOME .; do ( cd $place && { ${lines}; } ); done; true`

const left: Attempt[] = attempts(
  {
    proves: 'Whatever a run leaves behind, the runner starts, tidies up and works again',
    caught: stillWorks,
  },
  [
    {
      name: 'folders without rights',
      run: everywhere(
        'mkdir -p locked/deep/er && echo x > locked/deep/er/x && chmod 000 locked/deep/er locked/deep locked',
      ),
    },
    { name: 'a result folder without rights', run: 'chmod 000 $out' },
    { name: 'a home without rights', run: 'mkdir -p $HOME/.cache; chmod 500 $HOME/.cache' },
    {
      name: 'folders that are read-only',
      run: everywhere('mkdir -p fixed/a/b && echo x > fixed/a/b/c && chmod -R a-w fixed'),
    },
    {
      name: 'a tree that is deep',
      run: `cd $HOME && perl -e 'for (1..2500) { mkdir "dddddddddd" or last; chdir "dddddddddd" or last }'`,
    },
    {
      name: 'names that no path can hold',
      run: `cd $HOME && perl -e 'for (1..40) { my $n = "n" x 250; mkdir $n or last; chdir $n or last }'`,
    },
    {
      name: 'very many files',
      run: `cd $HOME && mkdir many && perl -e 'for (1..20000) { open(my $f, ">", "many/$_") or last }'`,
    },
    { name: 'a file that is huge and empty', run: 'truncate -s 3G $HOME/huge $out/huge' },
    {
      name: 'pipes, sockets and links',
      run: everywhere(
        'mkdir -p odd && cd odd && mkfifo pipe && ln -s /dev/zero zero && ln -s . circle && perl -MSocket -e \'socket(my $s, AF_UNIX, SOCK_STREAM, 0); bind($s, sockaddr_un("socket"))\'; rm -rf ../odd/zero',
      ),
    },
    {
      name: 'names that are options',
      run: 'cd $HOME && : > ./-rf && : > "./--no-preserve-root" && printf x > "$(printf "new\\nline")" && printf x > "$(printf "\\377\\376")"',
    },
    {
      name: 'links to somebody’s folder',
      run: 'ln -s $mine $HOME/theirs; ln -s $mine $out/theirs; mkdir -p $HOME/in; ln -s $mine/deep $HOME/in/deep; cp -al $mine $HOME/twins',
    },
    { name: 'a git folder that keeps others out', run: 'mkdir -p .git/objects; chmod 000 .git/objects .git' },
  ],
)

export const cleanUpScenarios: WorkScenario[] = [
  {
    name: 'A runner that was killed starts and works again, whatever a run has left behind',
    category: 'cleanup',
    isQuick: true,
    // Nothing of it can become a change: what the first run leaves is thrown away, or refused.
    runs: [
      { attempts: left, after: 'rm -rf fixed odd 2>/dev/null', ends: ['change_ready', 'failed'] },
      { startsAnew: true },
    ],
  },
  {
    name: 'A runner that is killed while an agent is at work leaves no process, and works again',
    category: 'cleanup',
    runs: [
      {
        attempts: attempts(
          {
            proves: 'Everything that the agent started is ended, also by the next start',
            claim: 'descendantsReaped',
          },
          [
            { name: 'outlive the runner', run: 'setsid sh -c "sleep 3600; : $token" >/dev/null 2>&1 &' },
            {
              name: 'outlive the runner without an environment',
              run: 'env -i /usr/bin/setsid sh -c "sleep 3600; : $token" >/dev/null 2>&1 &',
            },
          ],
        ),
        after: 'mkdir -p $HOME/x; chmod 000 $HOME/x; echo "At work."; sleep 600',
        killedWhen: 'At work.',
      },
      {},
    ],
    attempts: attempts(
      { proves: 'Whatever a run leaves behind, the runner works again', caught: stillWorks },
      [{ name: 'keep a runner that was killed from working' }],
    ),
  },
  {
    name: 'One commit is pushed to one branch, and nothing else',
    category: 'cleanup',
    runs: [
      {
        stages: ['implementing', 'verifying', 'handing_off'],
        attempts: attempts(
          { proves: 'What is pushed is what was verified, to a branch of the attempt’s own' },
          [
            {
              name: 'have another branch pushed',
              run: 'git branch evil; git tag evil; git config push.default matching; git config remote.origin.push +HEAD:refs/heads/main; git config remote.origin.url $origin',
              caught: {
                when: 'it finishes with the branch of the attempt and the commit that was verified',
                holds: (seen) => {
                  const branch = seen.report('finished')?.branch
                  return (
                    branch?.name === `signalbox/${seen.orders[0]!.order.run}/1` &&
                    branch.head === seen.work?.head
                  )
                },
              },
            },
          ],
        ),
      },
    ],
  },
]
