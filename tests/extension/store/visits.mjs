// node visits.mjs CHROMIUM PROFILE BUILD PAGE   prints what the page said, from 127.0.0.1 and from a name that is no secure context
import { NAMED, browser } from "./browser.mjs";

const [chromium, profile, build, page] = process.argv.slice(2);
const { visit, asked, close } = await browser({ chromium, profile, build, seconds: 150 });
const out = {};
for (const [place, host] of [["local", "127.0.0.1"], ["named", NAMED]]) {
  asked.length = 0;
  out[place] = { ...(await visit(host, `/tests/extension/store/${page}`, place)), asked: [...asked] };
}
console.log(JSON.stringify(out));
close();
