/** Issues of a tracker, by number. */

export const github = (repository: string) => (number: number) => ({
  platform: 'github',
  key: `${repository}#${number}`,
  url: `https://git.example.com/halden/${repository}/issues/${number}`,
})

export const jira = (project: string) => (number: number) => ({
  platform: 'jira',
  key: `${project}-${number}`,
  url: `https://jira.example.com/browse/${project}-${number}`,
})

export const linear =
  (team: string, site = 'https://linear.example.com/halden') =>
  (number: number) => ({
    platform: 'linear',
    key: `${team}-${number}`,
    url: `${site}/issue/${team}-${number}`,
  })
