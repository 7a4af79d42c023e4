/** Where the repositories of the played teams are said to be. */
export const codeHost = 'https://git.example.com/halden/'

export const repositoryOf = (team: string): string => `${codeHost}${team}.git`
