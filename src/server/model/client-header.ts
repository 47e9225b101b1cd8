/** In it a client says who it is, in a word of its own making; one that does not is known by the port that it asks from. */
export const clientHeader = 'x-archeion-client';
