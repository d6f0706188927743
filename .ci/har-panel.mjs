// Drives DevTools' own front end, which the browser serves, over its debugging protocol; see har-panel.
import fs from 'node:fs'

const [port, ...rest] = process.argv.slice(2)
const shotAt = rest.indexOf('--screenshot')
const shot = shotAt < 0 ? null : rest.splice(shotAt, 2)[1]
const origin = `127.0.0.1:${port}`

/** Opens DevTools for the first page in a tab of its own, and gives what runs code there. */
async function openDevTools() {
  const targets = await (await fetch(`http://${origin}/json/list`)).json()
  const page = targets.find((target) => target.type === 'page')
  const address = `http://${origin}/devtools/devtools_app.html?ws=${origin}/devtools/page/${page.id}`
  const created = await fetch(`http://${origin}/json/new?${address}`, { method: 'PUT' })
  const socket = new WebSocket((await created.json()).webSocketDebuggerUrl)
  await new Promise((resolve) => { socket.onopen = resolve })
  const waiting = new Map()
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data)
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  }
  const send = (method, params = {}) => new Promise((resolve) => {
    const id = waiting.size + 1 + Math.floor(Math.random() * 1e9)
    waiting.set(id, resolve)
    socket.send(JSON.stringify({ id, method, params }))
  })
  const run = async (body) => {
    const expression = `(async () => { ${body} })()`
    const options = { expression, awaitPromise: true, returnByValue: true }
    const { result } = await send('Runtime.evaluate', options)
    if (result.exceptionDetails) {
      throw new Error(result.exceptionDetails.exception?.description ?? 'DevTools failed')
    }
    return result.result.value
  }
  return { send, run }
}

/** What the panel shows of a file: the rows, and what a click on each tells. */
const rows = (text) => `
  const UI = await import('./ui/legacy/legacy.js')
  await UI.ViewManager.ViewManager.instance().showView('network')
  const { NetworkPanel } = await import('./panels/network/network.js')
  const { NetworkLog } = await import('./models/logs/logs.js')
  const log = NetworkLog.NetworkLog.instance()
  log.reset(true)
  const file = new File([${JSON.stringify(text)}], 'recorded.har', { type: 'application/json' })
  await NetworkPanel.NetworkPanel.instance().networkLogView.onLoadFromFile(file)
  const pairs = (list) => list.map((item) => item.name + ': ' + item.value)
  const cookies = (list) => list.map((cookie) => cookie.name() + '=' + cookie.value())
  return await Promise.all(log.requests().map(async (request) => {
    const content = await request.requestContentData()
    return {
      line: [request.statusCode, request.requestMethod, request.url()].join(' '),
      time: Math.round(request.duration * 1000) || 0,
      sent: pairs(request.requestHeaders()),
      received: pairs(request.responseHeaders),
      cookiesSent: cookies(request.includedRequestCookies().map((item) => item.cookie)),
      cookiesReceived: cookies(request.responseCookies),
      posted: await request.requestFormData() ?? '',
      body: content.error ? '' : content.isTextContent ? content.text : content.base64,
    }
  }))`

/** The same of the file itself. */
const expected = ({ request, response, time }) => {
  const pairs = (list) => list.map((item) => `${item.name}: ${item.value}`)
  const cookies = (list) => list.map((cookie) => `${cookie.name}=${cookie.value}`)
  return {
    line: [response.status, request.method, request.url].join(' '),
    time: Math.round(time),
    sent: pairs(request.headers),
    received: pairs(response.headers),
    cookiesSent: cookies(request.cookies),
    cookiesReceived: cookies(response.cookies),
    posted: request.postData?.text ?? '',
    body: response.content.text ?? '',
  }
}

const { send, run } = await openDevTools()
// The front end is ready when its panels exist.
for (let tries = 0; tries < 100; tries += 1) {
  if (await run("return Boolean(document.querySelector('.main-tabbed-pane, .root-view'))")) break
  await new Promise((resolve) => { setTimeout(resolve, 200) })
}

let faults = 0
for (const path of rest) {
  const text = fs.readFileSync(path, 'utf8')
  const wanted = JSON.parse(text).log.entries.map(expected)
  const shown = await run(rows(text))
  console.log(`${path}: ${shown.length} of ${wanted.length} exchanges in the network panel`)
  wanted.forEach((entry, index) => {
    console.log(`  ${shown[index]?.line}, ${shown[index]?.time} ms`)
    for (const [name, value] of Object.entries(entry)) {
      const [left, right] = [JSON.stringify(value), JSON.stringify(shown[index]?.[name])]
      if (left === right) continue
      faults += 1
      console.log(`    ${name} is ${left} in the file, and ${right} in the panel`)
    }
  })
  if (shown.length !== wanted.length) faults += 1
}
if (shot) {
  await new Promise((resolve) => { setTimeout(resolve, 1000) })
  const { result } = await send('Page.captureScreenshot')
  fs.writeFileSync(shot, Buffer.from(result.data, 'base64'))
}
process.exit(faults === 0 ? 0 : 1)
