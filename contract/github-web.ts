/** Where people and git go: beside the API at GitHub itself, around it at an Enterprise Server. */
export const githubWeb = (baseUrl: string): string =>
  baseUrl.replace(/\/api\/v3$/, '').replace(/^https:\/\/api\.(github\.com|[\w-]+\.ghe\.com)$/, 'https://$1')
