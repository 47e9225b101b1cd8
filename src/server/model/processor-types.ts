/** What has a creator who may do more with it than others (decisions.md, G4). */
export const processorTypes: readonly string[] = ['agent', 'klados', 'rhiza'];
