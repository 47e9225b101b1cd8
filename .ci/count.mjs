// Prints `N passed, N failed` from vitest's JSON report. A test file that could not even be loaded is one failure.
import { existsSync, readFileSync } from 'node:fs';

const [file] = process.argv.slice(2);
if (!file || !existsSync(file)) {
  console.error('The tests left no report: the run ended before them.');
  process.exitCode = 1;
} else {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(file, 'utf8'));
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  );
  console.log(`${numPassedTests} passed, ${numFailedTests + broken.length} failed`);
}
