using System;
using System.Text.RegularExpressions;

class Bot {
    static string Number(string key, string text) {
        return Regex.Match(text, "\"" + key + "\":([0-9]+)").Groups[1].Value;
    }

    static void Main() {
        for (string line; (line = Console.ReadLine()) != null;) {
            line = line.Replace(" ", "");
            string head = "{\"id\":" + Number("id", line) + ",\"action\":";
            if (line.Contains("\"type\":\"hello\"")) Console.WriteLine("{\"type\":\"ready\"}");
            else if (!line.Contains("\"type\":\"turn\"")) continue;
            else if (line.Contains("\"dudo\":true")) Console.WriteLine(head + "\"dudo\"}");
            else {
                string raises = line.Substring(line.IndexOf("\"raises\":"));
                string bid = ",\"quantity\":" + Number("min", raises) + ",\"face\":" + Number("face", raises);
                Console.WriteLine(head + "\"bid\"" + bid + "}");
            }
        }
    }
}
