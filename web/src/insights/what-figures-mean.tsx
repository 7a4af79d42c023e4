const meanings = (fewest: number): [term: string, meaning: string][] => [
  [
    'Runs',
    'Runs that started in this period. A finished run was merged, failed, timed out or stopped, or its pull request was closed. Races aren’t counted: two agents worked on them.',
  ],
  [
    'Agent and model',
    'A run counts for the agent of its last attempt, and for the model it spent the most on. Work that someone did with their own agent has its own row.',
  ],
  ['Kind of story', 'The class of service of the story.'],
  [
    'Merged without rework',
    'Finished runs that were merged without a second attempt. A new attempt after a temporary error doesn’t count as rework.',
  ],
  [
    'Reverts',
    'Merged stories for which Signalbox opened a pull request to revert the merge. Reverts that people make on the git host aren’t known here.',
  ],
  [
    'Incidents within a week',
    'Merges that the investigation of an incident found to be the likely cause, within seven days of the merge. Merges less than a week old aren’t counted yet.',
  ],
  [
    'Waiting for people',
    'Time from questions to their answers, added up for each merged story; the figure is the median. This is how long work waited, not how long people worked: Signalbox doesn’t measure that. Reviews on the git host aren’t included.',
  ],
  [
    'Cost per merged story',
    'What all attempts of a merged run cost; the figure is the median. “With all runs” divides what all finished runs cost, also those that were not merged, by the number of merged stories.',
  ],
  [
    '95% interval',
    'If you could repeat the same work many times, 95 in 100 such intervals would include the true figure. Shares use the Wilson interval, medians the interval between two of the observed values.',
  ],
  ['Too few to compare', `There are fewer than ${fewest}, so a figure would mostly show chance.`],
]

/** How each figure is made, and what it leaves out. */
export const WhatFiguresMean = ({ fewest }: { fewest: number }) => (
  <details className="mt-6 max-w-3xl border-t pt-3">
    <summary className="w-fit text-sm leading-6 text-muted hover:text-text">What the figures mean</summary>
    <dl className="mt-2 flex flex-col gap-2 text-sm">
      {meanings(fewest).map(([term, meaning]) => (
        <div key={term}>
          <dt className="font-medium">{term}</dt>
          <dd className="text-muted">{meaning}</dd>
        </div>
      ))}
    </dl>
  </details>
)
