// Prints `N passed, N failed` from vitest's JSON report, and before it which tests passed at the second try alone, and what their
// first one said. A test file that could not even be loaded is one failure.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { cwd } from 'node:process';

const [file] = process.argv.slice(2);
if (!file || !existsSync(file)) {
  console.error('The tests left no report: the run ended before them.');
  process.exitCode = 1;
} else {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(file, 'utf8'));
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  );
  for (const { name, assertionResults } of testResults)
    for (const { status, fullName, failureMessages } of assertionResults)
      if (status === 'passed' && failureMessages.length > 0)
        console.log(
          `At the second try: ${relative(cwd(), name)}: ${fullName}\n  ${failureMessages.join('\n').slice(0, 1000)}`,
        );
  console.log(`${numPassedTests} passed, ${numFailedTests + broken.length} failed`);
}
