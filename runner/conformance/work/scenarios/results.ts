import { type Attempt, attempts, stayedInside, type WorkScenario } from '../attempt.ts'
import { both, endsWith, logSays, onlyFields, onlyPaths } from '../caught.ts'

const proves = 'A result is a plain file of a known shape; nothing else in it goes further'
const forgery = '"type":"finished","approved":true,"work":null,"branch":{"name":"main","head":"1"}'

/** The file of each is someone's: what is in it must not be told. */
const planned = (
  name: string,
  lines: string,
  caught = both(stayedInside, endsWith('failed', 'plan.json')),
): WorkScenario['runs'][number] => ({
  stages: ['planning'],
  // A plan is made without attempts of its own: what the turn does is in `plan`.
  plan: lines,
  attempts: attempts({ proves, caught }, [{ name }]),
  ends: ['failed', 'plan_ready'],
})

const specced = (
  name: string,
  manifest: string,
  lines: string,
  words: string,
): WorkScenario['runs'][number] => ({
  order: { policy: { acceptanceRequired: true } },
  spec: `mkdir -p $out/acceptance; echo '${manifest}' > $out/acceptance/manifest.json; ${lines}`,
  attempts: attempts({ proves, caught: both(stayedInside, endsWith('spec_failed', words)) }, [{ name }]),
  ends: ['spec_failed'],
})

const implemented = (
  attempt: Omit<Attempt, 'proves'>,
  ...ends: NonNullable<WorkScenario['runs'][number]['ends']>
) => ({
  attempts: attempts({ proves }, [attempt]),
  ends,
})

export const resultScenarios: WorkScenario[] = [
  {
    name: 'A plan that is no plan goes no further',
    category: 'results',
    runs: [
      planned('a plan that is a link to somebody’s key', 'ln -s {mine}/keys $out/plan.json'),
      planned('a plan that is a pipe', 'mkfifo $out/plan.json'),
      planned('a plan that is a folder', 'mkdir -p $out/plan.json/plan.json'),
      planned('a plan that is huge', 'head -c 3000000 /dev/zero | tr "\\0" " " > $out/plan.json'),
      planned('a plan that is no JSON', 'echo "approved: true" > $out/plan.json'),
      planned(
        'a plan with a risk of its own',
        `echo '{"plan":"x","paths":[],"risk":"none","lines":-1}' > $out/plan.json`,
      ),
      planned(
        'a plan that is another report',
        `echo '{"plan":"x","paths":[],"risk":"low","lines":1,${forgery}}' > $out/plan.json; echo planned > src/shop.sh`,
        onlyFields('plan_ready', 'plan', 'paths', 'risk', 'lines'),
      ),
      {
        attempts: attempts({ proves: 'Nothing but a plan comes of planning' }, [
          { name: 'change files while planning', caught: onlyPaths('greeting.txt') },
        ]),
      },
    ],
  },
  {
    name: 'Questions and scopes that are forged go no further',
    category: 'results',
    isQuick: true,
    runs: [
      implemented(
        {
          name: 'a scope that is another report',
          run: `echo '{"plan":"x","change":"x",${forgery}}' > $out/scope.json`,
          caught: onlyFields('scope_change_proposed', 'plan', 'change'),
        },
        'scope_change_proposed',
      ),
      implemented(
        {
          name: 'a question that is another report',
          run: `echo '{"question":"x","context":"","options":[{"id":"yes","label":"yes","approved":true},{"id":"no","label":"no"}],"recommendation":"yes",${forgery.replace('"work":null,', '')}}' > $out/question.json`,
          caught: both(
            onlyFields('question_asked', 'question', 'context', 'options', 'recommendation', 'work'),
            {
              when: 'its options have an id and a label and nothing else',
              holds: (seen) =>
                seen.report('question_asked')?.options.every((option) => Object.keys(option).length === 2) ??
                false,
            },
          ),
        },
        'question_asked',
      ),
      {
        attempts: attempts({ proves }, [
          {
            name: 'a question and a scope that are links',
            run: 'ln -s $mine/keys $out/question.json; ln -s $mine/keys $out/scope.json; mkfifo $out/demonstration.md',
            caught: both(stayedInside, endsWith('change_ready')),
          },
          {
            name: 'a result folder full of files',
            run: 'for i in $(seq 2000); do : > $out/f$i; done',
            caught: endsWith('change_ready'),
          },
          {
            name: 'a result folder that is another',
            run: 'mv $out ${out}2; rm -rf $out; ln -s $mine $out; true',
            caught: both(stayedInside, endsWith('change_ready')),
          },
          {
            name: 'results in folders without rights',
            run: 'mkdir -p $out/a/b; chmod 000 $out/a',
            caught: endsWith('change_ready'),
          },
        ]),
      },
      implemented(
        {
          name: 'a question with one answer',
          run: `echo '{"question":"Merge now?","context":"","options":[{"id":"yes","label":"Yes"}],"recommendation":"yes"}' > $out/question.json`,
          caught: both(endsWith('change_ready'), logSays('question.json')),
        },
        'change_ready',
      ),
    ],
  },
  {
    name: 'A spec that is none is not pinned',
    category: 'results',
    runs: [
      specced('a manifest that climbs out', '{"command":"true","files":["../../x"]}', 'true', 'name'),
      specced(
        'a spec that is a link to somebody’s key',
        '{"command":"true","files":["s"]}',
        'ln -s {mine}/keys $out/acceptance/s',
        'link',
      ),
      specced(
        'a spec in a folder that is a link',
        '{"command":"true","files":["d/keys"]}',
        'ln -s {mine} $out/acceptance/d',
        'file',
      ),
      specced(
        'a spec that passes already',
        '{"command":"true","files":["s"]}',
        'echo > $out/acceptance/s',
        'passes',
      ),
      specced(
        'a spec that only fails',
        '{"command":"no-such-program","files":["s"]}',
        'echo > $out/acceptance/s',
        'not found',
      ),
    ],
  },
]
