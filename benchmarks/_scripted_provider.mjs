// A fake of the model providers (npm @copilotkit/aimock) whose answers another process gives, by lines of JSON:
// out goes the URL, then the messages of each request; in comes its answer.
import { createInterface } from "node:readline";

const { LLMock } = await import(process.argv[2]);
const waiting = [];
const mock = new LLMock({ port: 0, logLevel: "silent" });
mock.on({ predicate: () => true }, (request) => {
  console.log(JSON.stringify(request.messages));
  return new Promise((answer) => waiting.push(answer));
});
createInterface({ input: process.stdin })
  .on("line", (line) => waiting.shift()(JSON.parse(line)))
  .on("close", () => process.exit());
await mock.start();
console.log(JSON.stringify(mock.url));
