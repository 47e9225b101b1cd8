import Database from 'better-sqlite3';

// What threads that open databases begin with. SQLite's addon is loaded with the first one, and ends the whole process where its
// thread is ended in the middle of that (better-sqlite3 13.2); none is ended before this has been done.
new Database(':memory:').close();
