import { withWrittenNames } from './json-names.ts';

// Imported before all that reads JSON. An engine without the fault keeps what it has.
JSON.parse('{"h":[],"\\\\":0}');
if (!Object.hasOwn(JSON.parse('{"h":1,"\\"":2}'), '"')) {
  JSON.parse = withWrittenNames(JSON.parse);
  // It goes round JSON.parse.
  Response.prototype.json = async function (this: Response) {
    return JSON.parse(await this.text());
  };
}
